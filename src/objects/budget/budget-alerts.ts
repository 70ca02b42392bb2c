import type { StoragePort } from "../../kernel/index.ts";
import type { AlertShare } from "../../people/wallet/budget.ts";

/** That a share of a cap was reached. `period`: a day or a month by the operator's calendar. */
export interface Alert {
  readonly period: string;
  readonly share: AlertShare;
  readonly at: number;
}

/** Told ones older than this are forgotten: their period is over. Milliseconds. */
const KEPT_MS = 62 * 24 * 3_600_000;

export function createAlerts({ sql }: StoragePort): void {
  sql.exec(`CREATE TABLE IF NOT EXISTS alerts (
    period TEXT NOT NULL, share INTEGER NOT NULL, at INTEGER NOT NULL, told_at INTEGER, PRIMARY KEY (period, share)
  ) STRICT, WITHOUT ROWID`);
}

/** False: this share or a higher one of the period is known already. */
export function insertAlert({ sql }: StoragePort, { period, share, at }: Alert): boolean {
  const known = sql.exec("SELECT 1 FROM alerts WHERE period = ? AND share >= ? LIMIT 1", period, share).toArray();
  if (known.length > 0) return false;
  sql.exec("INSERT INTO alerts (period, share, at) VALUES (?, ?, ?)", period, share, at);
  sql.exec("DELETE FROM alerts WHERE told_at IS NOT NULL AND at < ?", at - KEPT_MS);
  return true;
}

export function untoldAlerts({ sql }: StoragePort): readonly Alert[] {
  return sql
    .exec<{ period: string; share: AlertShare; at: number }>(
      "SELECT period, share, at FROM alerts WHERE told_at IS NULL ORDER BY at",
    )
    .toArray();
}

export function markTold({ sql }: StoragePort, { period, share }: Alert, now: number): void {
  sql.exec("UPDATE alerts SET told_at = ? WHERE period = ? AND share = ?", now, period, share);
}
