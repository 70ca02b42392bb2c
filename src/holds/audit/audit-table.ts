import type { StoragePort } from "../../kernel/index.ts";
import { canonicalJson } from "../../lib/canonical.ts";
import type { AuditLine } from "../../protocol/audit.ts";
import type { RefusalCount } from "./count-refusal.ts";

/** Made with the first line: a conversation in which nothing is ever held has no audit. */
const LINES = [
  "CREATE TABLE approval_audit (seq INTEGER PRIMARY KEY, line TEXT NOT NULL)",
  "CREATE TRIGGER approval_audit_stays BEFORE UPDATE ON approval_audit BEGIN SELECT RAISE(ABORT, 'approval_audit is append-only'); END",
  "CREATE TRIGGER approval_audit_is_kept BEFORE DELETE ON approval_audit BEGIN SELECT RAISE(ABORT, 'approval_audit is append-only'); END",
];
/** Made with the first press that does not count. */
const COUNTS = [
  "CREATE TABLE refused_presses (hold TEXT NOT NULL, person TEXT NOT NULL, since INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (hold, person)) WITHOUT ROWID",
];

/** Refused presses of a person at a card, as they are counted. */
export interface CountedPresses extends RefusalCount {
  readonly hold: string;
  readonly person: string;
}

/** The audit's rows in the object's own storage. Writes belong to the transaction that they are made in. */
export class AuditTable {
  readonly #sql: StoragePort["sql"];

  constructor(storage: StoragePort) {
    this.#sql = storage.sql;
  }

  newest(): AuditLine | undefined {
    return this.#lines("SELECT line FROM approval_audit ORDER BY seq DESC LIMIT 1")[0];
  }

  append(line: AuditLine): void {
    this.#require("approval_audit", LINES);
    this.#sql.exec("INSERT INTO approval_audit (seq, line) VALUES (?, ?)", line.seq, canonicalJson(line));
  }

  /** Lines after a number, oldest first. */
  after(seq: number, limit: number): readonly AuditLine[] {
    return this.#lines("SELECT line FROM approval_audit WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit);
  }

  counted(): readonly CountedPresses[] {
    if (!this.#has("refused_presses")) return [];
    return this.#sql
      .exec<{ hold: string; person: string; since: number; count: number }>(
        "SELECT hold, person, since, count FROM refused_presses",
      )
      .toArray();
  }

  putCounted({ hold, person, since, count }: CountedPresses): void {
    this.#require("refused_presses", COUNTS);
    this.#sql.exec(
      "INSERT INTO refused_presses (hold, person, since, count) VALUES (?, ?, ?, ?) " +
        "ON CONFLICT (hold, person) DO UPDATE SET since = excluded.since, count = excluded.count",
      hold,
      person,
      since,
      count,
    );
  }

  dropCounted({ hold, person }: CountedPresses): void {
    this.#sql.exec("DELETE FROM refused_presses WHERE hold = ? AND person = ?", hold, person);
  }

  #lines(query: string, ...bindings: readonly number[]): readonly AuditLine[] {
    if (!this.#has("approval_audit")) return [];
    return this.#sql
      .exec<{ line: string }>(query, ...bindings)
      .toArray()
      .map(({ line }) => JSON.parse(line) as AuditLine);
  }

  #has(table: string): boolean {
    return this.#sql.exec("SELECT 1 AS one FROM pragma_table_info(?) LIMIT 1", table).toArray().length > 0;
  }

  #require(table: string, schema: readonly string[]): void {
    if (this.#has(table)) return;
    for (const statement of schema) this.#sql.exec(statement);
  }
}
