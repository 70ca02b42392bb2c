import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Entry } from "../../src/kernel/index.ts";
import type { Control } from "../../src/kernel/state/control.ts";

/** A row of `inputs`. */
export interface StoredInput {
  readonly status: "queued" | "placed" | "done" | "unanswered";
  readonly actor: string;
  readonly entry?: number;
  readonly answer?: number;
  readonly reason?: string;
}

/** Everything that a conversation's storage holds after a commit. */
export interface Stored {
  readonly control: Control;
  readonly inputs: ReadonlyMap<string, StoredInput>;
  /** `kind outcome` by task. */
  readonly receipts: ReadonlyMap<number, string>;
  /** Values by `task namespace name`. */
  readonly memos: ReadonlyMap<string, string>;
  readonly slots: readonly number[];
  readonly outbox: readonly string[];
  /** The newest body of each rewindable document, by name. */
  readonly rewindable: ReadonlyMap<string, string>;
  readonly entries: readonly Entry[];
}

/** One commit. */
export interface Change {
  readonly before: Stored;
  readonly after: Stored;
  readonly appended: readonly Entry[];
}

const REWINDABLE =
  "SELECT name, body FROM namespace_versions v WHERE rev = (SELECT max(rev) FROM namespace_versions WHERE name = v.name) ORDER BY name";

type Row = Record<string, unknown>;

/** Reads what commits left, past the kernel, and keeps the rows of entries as they were when they were new. */
export class StoredReader {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #entryRows: string[] = [];
  #last: Stored | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get last(): Stored {
    if (!this.#last) throw new Error("there is no conversation yet");
    return this.#last;
  }

  /** The commit that has just been made; undefined for the one that created the conversation. */
  read(): Change | undefined {
    const before = this.#last;
    const appended = this.#readAppended(before?.entries.at(-1)?.id ?? 0);
    const after: Stored = {
      control: JSON.parse(String(this.#all("SELECT body FROM control")[0]?.["body"])) as Control,
      inputs: new Map(this.#all("SELECT key, status, body FROM inputs").map(toInput)),
      receipts: new Map(
        this.#all("SELECT task, kind, outcome FROM done").map((row) => [
          Number(row["task"]),
          `${String(row["kind"])} ${String(row["outcome"])}`,
        ]),
      ),
      memos: new Map(this.#all("SELECT task, ns, name, value FROM memos").map(toMemo)),
      slots: this.#all("SELECT task FROM slots").map((row) => Number(row["task"])),
      outbox: this.#all("SELECT key FROM outbox ORDER BY key").map((row) => String(row["key"])),
      rewindable: new Map(
        this.#all(REWINDABLE).map((row): [string, string] => [String(row["name"]), String(row["body"])]),
      ),
      entries: appended.length === 0 ? (before?.entries ?? []) : [...(before?.entries ?? []), ...appended],
    };
    this.#last = after;
    return before && { before, after, appended };
  }

  /** The id of an entry whose row is not what it was, or that is gone; undefined when there is none. */
  findChangedEntry(): number | undefined {
    const rows = this.#all("SELECT id, kind, rev, body FROM entries ORDER BY id").map((row) => JSON.stringify(row));
    const at = this.#entryRows.findIndex((row, index) => rows[index] !== row);
    return at < 0 ? undefined : this.last.entries[at]?.id;
  }

  #readAppended(after: number): Entry[] {
    const rows = this.#all("SELECT id, kind, rev, body FROM entries WHERE id > ? ORDER BY id", after);
    this.#entryRows.push(...rows.map((row) => JSON.stringify(row)));
    return rows.map(toEntry);
  }

  #all(query: string, ...bindings: number[]): Row[] {
    let statement = this.#statements.get(query);
    if (!statement) {
      statement = this.#database.prepare(query);
      this.#statements.set(query, statement);
    }
    return statement.all(...bindings);
  }
}

function toEntry({ id, kind, rev, body }: Row): Entry {
  return { ...(JSON.parse(String(body)) as Entry), id: Number(id), kind: String(kind), rev: Number(rev) };
}

function toInput({ key, status, body }: Row): [string, StoredInput] {
  return [String(key), { ...(JSON.parse(String(body)) as StoredInput), status: status as StoredInput["status"] }];
}

function toMemo({ task, ns, name, value }: Row): [string, string] {
  return [`${String(task)} ${String(ns)} ${String(name)}`, String(value)];
}
