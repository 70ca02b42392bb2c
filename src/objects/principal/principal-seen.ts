import type { StoragePort } from "../../kernel/index.ts";

/** Conversations of which one person's object remembers how far they were read. Above, the longest unread-in go. */
export const MAX_SEEN = 500;

export type SeenRow = { readonly conversation: string; readonly rev: number; readonly at: number };

export function createSeen({ sql }: StoragePort): void {
  sql.exec(`CREATE TABLE IF NOT EXISTS seen (
    conversation TEXT PRIMARY KEY, rev INTEGER NOT NULL, at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`);
}

/** Notes up to which revision somebody has seen a conversation. An older one changes nothing. */
export function writeSeen({ sql }: StoragePort, conversation: string, rev: number, now: number): void {
  sql.exec(
    `INSERT INTO seen (conversation, rev, at) VALUES (?, ?, ?)
     ON CONFLICT (conversation) DO UPDATE SET rev = excluded.rev, at = excluded.at WHERE excluded.rev > rev`,
    conversation,
    rev,
    now,
  );
  sql.exec(
    "DELETE FROM seen WHERE conversation IN (SELECT conversation FROM seen ORDER BY at DESC, conversation LIMIT -1 OFFSET ?)",
    MAX_SEEN,
  );
}

export function seenRows({ sql }: StoragePort): readonly SeenRow[] {
  return sql.exec<SeenRow>("SELECT * FROM seen").toArray();
}

/** Revisions by conversation. */
export function readSeen(storage: StoragePort): Readonly<Record<string, number>> {
  return Object.fromEntries(seenRows(storage).map(({ conversation, rev }) => [conversation, rev]));
}
