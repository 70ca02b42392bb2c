import type { StoragePort } from "../../kernel/index.ts";

/** Whose things one person's object has taken over, each once: as many as a person has former ids. */
export function createAbsorbed({ sql }: StoragePort): void {
  sql.exec("CREATE TABLE IF NOT EXISTS absorbed (former TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID");
}

/** What was answered when a former's things were taken over; undefined: they were not. */
export function readAbsorbed({ sql }: StoragePort, former: string): number | undefined {
  return sql.exec<{ seq: number }>("SELECT seq FROM absorbed WHERE former = ?", former).toArray()[0]?.seq;
}

export function insertAbsorbed({ sql }: StoragePort, former: string, seq: number): void {
  sql.exec("INSERT INTO absorbed (former, seq) VALUES (?, ?)", former, seq);
}
