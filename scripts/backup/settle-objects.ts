import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { MARK_RESTORED } from "./mark-restored.ts";
import { alarmOf, armAlarm, nameOf } from "./object-files.ts";
import { hasTable, withDatabase } from "./open-database.ts";
import { databasesOf, isAlarmTable, objectOf, objectsOf } from "./state-files.ts";

/** Conversations wake one after the other after the start, this far apart. Milliseconds. */
const APART_MS = 50;
/** Classes whose objects wake by themselves. */
const CLASSES = ["Principal", "Budget", "Conversation"] as const;

interface Settling {
  readonly directory: DatabaseSync;
  /** When the backup was made, ms. */
  readonly madeAt: number;
  readonly now: number;
}

/**
 * Marks each conversation, so that it ends what was under way, and has it wake and do so. Conversations that went between
 * the copy of the list and that of the objects leave the list.
 */
export function settleObjects(folder: string, { directory, madeAt, now }: Settling): void {
  const keys = new Set<string>();
  for (const [n, path] of objectsOf(folder, "Conversation").entries()) {
    const key = withDatabase(join(folder, path), (database) => mark(database, madeAt, now + n * APART_MS));
    if (key !== undefined) keys.add(key);
  }
  bury(directory, keys, now);
  for (const path of objectsOf(folder, "Principal")) withDatabase(join(folder, path), endTurns);
  for (const one of CLASSES) writeAlarms(folder, one);
}

/** Gives the key of the conversation; undefined: it holds none. */
function mark(database: DatabaseSync, madeAt: number, wakeAt: number): string | undefined {
  if (!hasTable(database, "control")) return undefined;
  database.prepare(MARK_RESTORED).run(madeAt);
  const key = database.prepare("SELECT json_extract(body, '$.facts.key') AS key FROM control").get()?.["key"];
  if (typeof key !== "string") throw new Error("A conversation of the backup has no key: take another one.");
  armAlarm(database, key, wakeAt);
  return key;
}

/** No turn runs: one that counted as running would keep its person from beginning another. What is set aside stays so. */
function endTurns(database: DatabaseSync): void {
  if (!hasTable(database, "purse")) return;
  database.exec("UPDATE purse SET body = json_set(body, '$.turns.running', json('{}'))");
}

function bury(directory: DatabaseSync, keys: ReadonlySet<string>, now: number): void {
  if (!hasTable(directory, "conversations")) return;
  directory
    .prepare(
      `UPDATE conversations SET title = '', state = 'idle', usage = '{}', updated_at = ?1, deleted_at = ?1
        WHERE deleted_at IS NULL AND key NOT IN (SELECT value FROM json_each(?2))`,
    )
    .run(now, JSON.stringify([...keys]));
}

/** The table by which the platform wakes objects says what they say themselves: it was copied at another moment. */
function writeAlarms(folder: string, one: (typeof CLASSES)[number]): void {
  const alarms = objectsOf(folder, one).flatMap((path) => {
    return withDatabase(join(folder, path), (database) => {
      const at = alarmOf(database);
      return at === undefined ? [] : [{ id: objectOf(path).id, at, name: nameOf(database) ?? null }];
    });
  });
  for (const path of databasesOf(folder, one).filter(isAlarmTable)) {
    withDatabase(join(folder, path), (database) => {
      database.exec("DELETE FROM _cf_ALARM");
      const insert = database.prepare("INSERT INTO _cf_ALARM (actor_id, scheduled_time, actor_name) VALUES (?, ?, ?)");
      for (const { id, at, name } of alarms) insert.run(id, at, name);
    });
  }
}
