import { cutBytes, utf8Bytes } from "../../lib/bytes.ts";
import { cutText } from "../../lib/cut.ts";
import type { Json } from "../../lib/json.ts";
import type { Message } from "../../protocol/message.ts";
import type { ThinkingLevel } from "../../protocol/view.ts";
import { MAX_ENTRY_ROW_BYTES } from "../limits.ts";
import type { ToolSpec } from "../ports/model.ts";
import type { StoragePort } from "../ports/storage.ts";
import { outsideOf, type Spans } from "../state/spans.ts";

/** When somebody's words were taken out of an entry, and who did it: an opaque actor. */
export type Redaction = { readonly at: number; readonly by: string };

/**
 * A row of the transcript. One without `message` is invisible to models. Nothing about it ever changes, except that its
 * words may be taken out.
 */
export interface Entry {
  readonly id: number;
  readonly kind: string;
  /** Revision of the commit that appended it. */
  readonly rev: number;
  readonly at: number;
  readonly task?: number;
  readonly message?: Message;
  readonly data?: Json;
  /** The active transcript begins anew: these earlier stretches, and everything from this entry on. */
  readonly head?: Spans;
  /** Of a system entry: the tools that are offered from here on. */
  readonly tools?: readonly ToolSpec[];
  /** Of an answer: what its request was made of, beside the entries. */
  readonly request?: SentWith;
  /** Copied by a fork: what it tells of was done elsewhere. */
  readonly inherited?: true;
  /** A tombstone: what stood here was erased. */
  readonly redacted?: Redaction;
}

/** What a request was made of, beside the entries up to `cutoff`. */
export interface SentWith {
  readonly model: string;
  readonly thinking: ThinkingLevel;
  readonly volatile: string;
  readonly cutoff: number;
}

type Body = Omit<Entry, "id" | "kind" | "rev">;
type Row = { id: number; kind: string; rev: number; body: string };

export function insertEntry(storage: StoragePort, entry: Entry): void {
  const { parts, inline } = partsOf(entry);
  storage.sql.exec(
    "INSERT INTO entries (id, kind, rev, body) VALUES (?, ?, ?, ?)",
    entry.id,
    entry.kind,
    entry.rev,
    inline,
  );
  insertParts(storage, entry.id, parts);
}

/** Puts a tombstone where an entry stood. */
export function replaceEntry(storage: StoragePort, entry: Entry): void {
  const { parts, inline } = partsOf(entry);
  storage.sql.exec("UPDATE entries SET body = ? WHERE id = ?", inline, entry.id);
  storage.sql.exec("DELETE FROM entry_parts WHERE entry = ?", entry.id);
  insertParts(storage, entry.id, parts);
}

function partsOf({ id: _id, kind: _kind, rev: _rev, ...body }: Entry): {
  readonly parts: readonly string[];
  readonly inline: string;
} {
  const text = JSON.stringify(body satisfies Body);
  const parts = splitBody(text);
  return parts.length === 1 ? { parts: [], inline: text } : { parts, inline: JSON.stringify({ parts: parts.length }) };
}

function insertParts(storage: StoragePort, entry: number, parts: readonly string[]): void {
  for (const [n, data] of parts.entries()) {
    storage.sql.exec("INSERT INTO entry_parts (entry, n, data) VALUES (?, ?, ?)", entry, n, data);
  }
}

/** Entries with `from <= id <= to`, in order. */
export function readEntryRange(storage: StoragePort, from: number, to: number): Entry[] {
  return storage.sql
    .exec<Row>("SELECT id, kind, rev, body FROM entries WHERE id BETWEEN ? AND ? ORDER BY id", from, to)
    .toArray()
    .map((row) => toEntry(storage, row));
}

/** The first `limit` entries with `from <= id <= to`, by id and by how long their bodies are, in UTF-16 units or fewer. */
export function weighEntries(
  storage: StoragePort,
  from: number,
  to: number,
  limit: number,
): readonly { readonly id: number; readonly units: number }[] {
  return storage.sql
    .exec<{ id: number; units: number }>(
      "SELECT id, length(body) + coalesce((SELECT sum(length(data)) FROM entry_parts WHERE entry = entries.id), 0) " +
        "AS units FROM entries WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
      from,
      to,
      limit,
    )
    .toArray();
}

/** The newest `limit` entries with `id < before` that no rewind left behind, oldest first. */
export function readShownBefore(storage: StoragePort, before: number, limit: number, left: Spans): Entry[] {
  const rows: Row[] = [];
  for (const [from, to] of outsideOf(left, Math.min(before - 1, Number.MAX_SAFE_INTEGER)).toReversed()) {
    if (rows.length === limit) break;
    const found = storage.sql.exec<Row>(
      "SELECT id, kind, rev, body FROM entries WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?",
      from,
      to,
      limit - rows.length,
    );
    rows.push(...found);
  }
  return rows.reverse().map((row) => toEntry(storage, row));
}

/** The newest entry up to `cutoff` that began the active transcript anew. */
export function readHead(storage: StoragePort, cutoff: number): Entry | undefined {
  const [row] = storage.sql
    .exec<Row>(
      "SELECT id, kind, rev, body FROM entries " +
        "WHERE kind IN ('core.summary', 'core.reset', 'core.handoff', 'core.rewind') AND id <= ? " +
        "ORDER BY id DESC LIMIT 1",
      cutoff,
    )
    .toArray();
  return row && toEntry(storage, row);
}

/** The oldest `limit` entries with `id > after`, in order. */
export function readEntriesAfter(storage: StoragePort, after: number, limit: number): Entry[] {
  return storage.sql
    .exec<Row>("SELECT id, kind, rev, body FROM entries WHERE id > ? ORDER BY id LIMIT ?", after, limit)
    .toArray()
    .map((row) => toEntry(storage, row));
}

export function readEntry(storage: StoragePort, id: number): Entry | undefined {
  return readEntryRange(storage, id, id)[0];
}

function toEntry(storage: StoragePort, row: Row): Entry {
  const inline = JSON.parse(row.body) as Body | { readonly parts: number };
  const body = "parts" in inline ? readParts(storage, row.id) : inline;
  return { id: row.id, kind: row.kind, rev: row.rev, ...body };
}

function readParts(storage: StoragePort, entry: number): Body {
  const parts = storage.sql
    .exec<{ data: string }>("SELECT data FROM entry_parts WHERE entry = ? ORDER BY n", entry)
    .toArray();
  return JSON.parse(parts.map((part) => part.data).join("")) as Body;
}

function splitBody(text: string): string[] {
  if (text.length * 3 <= MAX_ENTRY_ROW_BYTES || utf8Bytes(text) <= MAX_ENTRY_ROW_BYTES) return [text];
  const parts: string[] = [];
  for (let rest = text; rest !== ""; ) {
    const part = cutBytes(cutText(rest, MAX_ENTRY_ROW_BYTES), MAX_ENTRY_ROW_BYTES);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts;
}
