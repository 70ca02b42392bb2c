import type { StoragePort } from "../../kernel/index.ts";
import { monthOf } from "../../people/wallet/calendar.ts";
import type { Amounts } from "../../people/wallet/lease.ts";

/** What one person's object holds of the deployment's caps, and what it spent when it last said so. */
export interface Holder {
  readonly principal: string;
  readonly seq: number;
  readonly day: string;
  readonly held: Amounts;
  readonly used: Amounts;
}

type HolderRow = {
  readonly principal: string;
  readonly seq: number;
  readonly day: string;
  readonly day_held: number;
  readonly month_held: number;
  readonly day_used: number;
  readonly month_used: number;
};

export function createHolders({ sql }: StoragePort): void {
  sql.exec(`CREATE TABLE IF NOT EXISTS holders (
    principal TEXT PRIMARY KEY, seq INTEGER NOT NULL, day TEXT NOT NULL, day_held INTEGER NOT NULL,
    month_held INTEGER NOT NULL, day_used INTEGER NOT NULL, month_used INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`);
}

export function readHolder({ sql }: StoragePort, principal: string): Holder | undefined {
  const [row] = sql.exec<HolderRow>("SELECT * FROM holders WHERE principal = ?", principal).toArray();
  return row && toHolder(row);
}

/** Everybody who told something in the month of a day. */
export function readHolders({ sql }: StoragePort, day: string): readonly Holder[] {
  const rows = sql.exec<HolderRow>("SELECT * FROM holders WHERE substr(day, 1, 7) = ?", monthOf(day)).toArray();
  return rows.map(toHolder);
}

export function writeHolder({ sql }: StoragePort, { principal, seq, day, held, used }: Holder): void {
  sql.exec(
    `INSERT INTO holders (principal, seq, day, day_held, month_held, day_used, month_used) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (principal) DO UPDATE SET seq = excluded.seq, day = excluded.day, day_held = excluded.day_held,
       month_held = excluded.month_held, day_used = excluded.day_used, month_used = excluded.month_used`,
    principal,
    seq,
    day,
    held.perDay,
    held.perMonth,
    used.perDay,
    used.perMonth,
  );
}

/** Forgets those who told nothing since the month of a day began. */
export function forgetHolders({ sql }: StoragePort, day: string): void {
  sql.exec("DELETE FROM holders WHERE day < ?", `${monthOf(day)}-01`);
}

function toHolder({ principal, seq, day, day_held, month_held, day_used, month_used }: HolderRow): Holder {
  const held = { perDay: day_held, perMonth: month_held };
  return { principal, seq, day, held, used: { perDay: day_used, perMonth: month_used } };
}
