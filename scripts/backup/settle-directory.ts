import type { DatabaseSync } from "node:sqlite";
import type { Erased } from "./manifest.ts";
import { hasTable } from "./open-database.ts";

/** What let somebody in and may have been taken back since, and what conversations tell anew: whoever had it gets it anew. */
const NOT_RESTORED = ["sessions", "owner_codes", "link_codes", "invitations", "rate_windows", "open_cards"];

/** An erasure that is to be carried out, once more or to its end. */
export interface OpenErasure extends Erased {
  /** ULID of its line of audit. */
  readonly id: string;
}

/**
 * Makes of a directory that was backed up one that can be opened: nobody is signed in, and who was erased after it was copied
 * is shut out. Gives the people of those.
 */
export function settleDirectory(
  database: DatabaseSync,
  { erased, now }: { readonly erased: readonly OpenErasure[]; readonly now: number },
): readonly string[] {
  for (const table of NOT_RESTORED) if (hasTable(database, table)) database.exec(`DELETE FROM ${table}`);
  if (erased.length === 0) return [];
  if (!hasTable(database, "erasures")) {
    throw new Error(
      "The backup is older than erasing people is, and people were erased since: bring it up to date with the code that made it.",
    );
  }
  const again = erased.filter(({ person }) => isThere(database, person));
  for (const one of again) shutOut(database, one, now);
  return again.map(({ person }) => person);
}

/** Every erasure that is not finished. */
export function readUnfinished(database: DatabaseSync): readonly OpenErasure[] {
  if (!hasTable(database, "erasures")) return [];
  const rows = database
    .prepare(
      `SELECT person, ordered_by, begun_at,
          (SELECT max(id) FROM people_audit WHERE action = 'erase' AND target = person) AS id
        FROM erasures WHERE finished_at IS NULL ORDER BY person`,
    )
    .all();
  return rows.map(({ id, person, ordered_by, begun_at }) => ({
    id: String(id),
    person: String(person),
    by: String(ordered_by),
    at: Number(begun_at),
  }));
}

/** Somebody who was not erased, and did not become one with somebody else: that one is erased for both. */
function isThere(database: DatabaseSync, person: string): boolean {
  const isFormer = hasTable(database, "former_ids") && isFormerId(database, person);
  const find = database.prepare("SELECT 1 FROM principals WHERE id = ? AND erased_at IS NULL");
  return !isFormer && find.get(person) !== undefined;
}

/** Whether the directory knows that this person became one with somebody else. */
export function isFormerId(database: DatabaseSync, person: string): boolean {
  return database.prepare("SELECT 1 FROM former_ids WHERE former = ?").get(person) !== undefined;
}

/** As erasing does, where whoever ordered it need not be an owner at the time of the backup. */
function shutOut(database: DatabaseSync, { id, person, by, at }: OpenErasure, now: number): void {
  const run = (sql: string, ...values: (string | number)[]) => database.prepare(sql).run(...values);
  const receipt = JSON.stringify(holdings(database, person));
  run(
    "INSERT OR IGNORE INTO people_audit (id, at, actor, action, target, detail) VALUES (?, ?, ?, 'erase', ?, '{}')",
    id,
    now,
    by,
    person,
  );
  run("INSERT INTO erasures (person, ordered_by, begun_at, receipt) VALUES (?, ?, ?, ?)", person, by, at, receipt);
  run("DELETE FROM identities WHERE principal_id = ?", person);
  const former = hasTable(database, "former_ids") ? "OR id IN (SELECT former FROM former_ids WHERE survivor = ?2)" : "";
  run(
    `UPDATE principals SET name = '', tier = 'guest', configured_owner = 0, disabled_at = ?1, last_seen_at = NULL, erased_at = ?1
      WHERE id = ?2 ${former}`,
    now,
    person,
  );
}

/** The beginning of the receipt. */
function holdings(database: DatabaseSync, person: string) {
  const count = (sql: string) => Number(database.prepare(`SELECT count(*) AS n FROM ${sql}`).get(person)?.["n"]);
  const found = {
    identities: count("identities WHERE principal_id = ?"),
    conversation_members: count("conversation_members WHERE principal_id = ?"),
    private_conversations: count("conversations WHERE owner = ? AND visibility = 'private' AND deleted_at IS NULL"),
  };
  return Object.entries(found).map(([store, n]) => ({ store, found: n, left: null }));
}
