import type { Json } from "../../lib/json.ts";
import type { UserPart } from "../../protocol/message.ts";
import type { Voice } from "../../protocol/room.ts";
import type { StoragePort } from "../ports/storage.ts";

/** Why an input ended without an answer. */
export type UnansweredReason = "aborted" | "failed" | "reset" | "restored" | "skipped";

/** What became of an input; forward only. `answer` and `entry` are entry ids. */
export type InputState =
  | {
      readonly status: "queued";
      readonly content: readonly UserPart[];
      readonly voice?: Voice;
      /** Set when it is an entry that asks for no answer. */
      readonly write?: { readonly kind: string; readonly data?: Json };
    }
  | { readonly status: "placed"; readonly entry: number }
  | { readonly status: "done"; readonly entry: number; readonly answer: number }
  | { readonly status: "unanswered"; readonly entry?: number; readonly reason: UnansweredReason };

/** Something a person or the system said, from admission to answer. */
export interface InputRecord {
  /** Request key, `<principal>:<client id>` or `system:<origin>:<id>`. */
  readonly key: string;
  /** Hash of what was said: the same key with another body is a conflict. */
  readonly fingerprint: string;
  readonly actor: string;
  readonly meta: Json;
  readonly at: number;
  readonly state: InputState;
}

type Row = { key: string; status: string; fingerprint: string; body: string };

export function writeInput(storage: StoragePort, input: InputRecord): void {
  const { status, ...state } = input.state;
  const body = JSON.stringify({ actor: input.actor, meta: input.meta, at: input.at, ...state });
  storage.sql.exec(
    "INSERT INTO inputs (key, status, fingerprint, body) VALUES (?, ?, ?, ?) " +
      "ON CONFLICT (key) DO UPDATE SET status = excluded.status, body = excluded.body",
    input.key,
    status,
    input.fingerprint,
    body,
  );
}

export function readInput(storage: StoragePort, key: string): InputRecord | undefined {
  const [row] = storage.sql.exec<Row>("SELECT key, status, fingerprint, body FROM inputs WHERE key = ?", key).toArray();
  if (!row) return undefined;
  const { actor, meta, at, ...state } = JSON.parse(row.body) as { actor: string; meta: Json; at: number };
  return { key, fingerprint: row.fingerprint, actor, meta, at, state: { status: row.status, ...state } as InputState };
}

/** Takes who else they are and what they said out of at most `limit` inputs of these actors that ended. Gives how many. */
export function redactInputs(storage: StoragePort, actors: readonly string[], limit: number): number {
  const rows = storage.sql
    .exec<Pick<Row, "key">>(
      "SELECT key FROM inputs WHERE status <> 'queued' AND fingerprint <> '' " +
        "AND json_extract(body, '$.actor') IN (SELECT value FROM json_each(?)) LIMIT ?",
      JSON.stringify(actors),
      limit,
    )
    .toArray();
  for (const { key } of rows) {
    storage.sql.exec(
      "UPDATE inputs SET fingerprint = '', body = json_set(body, '$.meta', json('null')) WHERE key = ?",
      key,
    );
  }
  return rows.length;
}
