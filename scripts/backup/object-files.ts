import { createHash, createHmac } from "node:crypto";
import { basename, dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { hasTable } from "./open-database.ts";
import { databasesOf, isAlarmTable, type Stage } from "./state-files.ts";

/** The local platform's own tables beside those of an object: when it wakes, and what it is called. */
const ALARM = "CREATE TABLE IF NOT EXISTS _cf_METADATA (key INTEGER PRIMARY KEY, value BLOB)";
const NAME = "CREATE TABLE IF NOT EXISTS __miniflare_do_name (id INTEGER PRIMARY KEY, name TEXT)";
/** The key of the alarm there. */
const ALARM_KEY = 1;

/** What an object is called; undefined: nothing ever asked for it by a name. */
export function nameOf(database: DatabaseSync): string | undefined {
  if (!hasTable(database, "__miniflare_do_name")) return undefined;
  const name = database.prepare("SELECT name FROM __miniflare_do_name").get()?.["name"];
  return typeof name === "string" ? name : undefined;
}

/** Sets, in an object's own database, when it wakes (ms). */
export function armAlarm(database: DatabaseSync, name: string, at: number): void {
  database.exec(ALARM);
  database.exec(NAME);
  database.prepare("INSERT OR IGNORE INTO __miniflare_do_name (id, name) VALUES (1, ?)").run(name);
  const nanoseconds = BigInt(at) * 1_000_000n;
  database.prepare("INSERT OR REPLACE INTO _cf_METADATA (key, value) VALUES (?, ?)").run(ALARM_KEY, nanoseconds);
}

/** When an object wakes by itself, in nanoseconds; undefined: never. */
export function alarmOf(database: DatabaseSync): bigint | undefined {
  if (!hasTable(database, "_cf_METADATA")) return undefined;
  const read = database.prepare("SELECT value FROM _cf_METADATA WHERE key = ?");
  read.setReadBigInts(true);
  const value = read.get(ALARM_KEY)?.["value"];
  return typeof value === "bigint" ? value : undefined;
}

/** Where the database of an object of this name is, or would be. @throws when nothing of its class was ever stored. */
export function pathOfObject(state: string, stage: Stage, name: string): string {
  const table = databasesOf(state, stage).find(isAlarmTable);
  if (table === undefined) throw new Error(`The backup holds no objects of ${stage}: take another one.`);
  return `${dirname(table)}/${idOf(basename(dirname(table)), name)}.sqlite`;
}

/** The platform's id of a named object: its class's key gives the secret. */
function idOf(classKey: string, name: string): string {
  const secret = createHash("sha256").update(classKey).digest();
  const half = (of: string | Buffer) => createHmac("sha256", secret).update(of).digest().subarray(0, 16);
  const first = half(name);
  return Buffer.concat([first, half(first)]).toString("hex");
}
