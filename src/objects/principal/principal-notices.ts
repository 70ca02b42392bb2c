import type { StoragePort } from "../../kernel/index.ts";
import type { Notice } from "../../protocol/notices.ts";

/** Notices that one person's inbox holds. Above, read ones go first, then the oldest. */
export const MAX_NOTICES = 200;

export type NoticeRow = {
  readonly id: string;
  readonly at: number;
  readonly text: string;
  readonly link: string | null;
  readonly read_at: number | null;
};

export function createNotices({ sql }: StoragePort): void {
  sql.exec(`CREATE TABLE IF NOT EXISTS notices (
    id TEXT PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL, link TEXT, read_at INTEGER
  ) STRICT, WITHOUT ROWID`);
}

/** Stores a notice, once under its id, and lets go of what the inbox has no room for. */
export function insertNotice({ sql }: StoragePort, { id, at, text, link }: Omit<Notice, "read">): void {
  takeNotices({ sql }, [{ id, at, text, link, read_at: null }]);
}

/** Stores notices as they stand. */
export function takeNotices({ sql }: Pick<StoragePort, "sql">, rows: readonly NoticeRow[]): void {
  const insert = "INSERT INTO notices (id, at, text, link, read_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
  for (const { id, at, text, link, read_at } of rows) sql.exec(insert, id, at, text, link, read_at);
  sql.exec(
    `DELETE FROM notices WHERE id IN (
      SELECT id FROM notices ORDER BY read_at IS NOT NULL, at DESC, id DESC LIMIT -1 OFFSET ?)`,
    MAX_NOTICES,
  );
}

export function noticeRows({ sql }: StoragePort): readonly NoticeRow[] {
  return sql.exec<NoticeRow>("SELECT * FROM notices ORDER BY at DESC, id DESC").toArray();
}

/** Newest first. */
export function readNotices(storage: StoragePort): readonly Notice[] {
  return noticeRows(storage).map(({ read_at, ...notice }) => ({ ...notice, read: read_at !== null }));
}

/** Marks these as read; those that are not there are none. */
export function markNotices({ sql }: StoragePort, ids: readonly string[], now: number): void {
  for (const id of ids) sql.exec("UPDATE notices SET read_at = ? WHERE id = ? AND read_at IS NULL", now, id);
}
