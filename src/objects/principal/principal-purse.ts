import type { StoragePort } from "../../kernel/index.ts";
import { type Lease, NO_LEASE } from "../../people/wallet/lease.ts";
import { NO_TURNS, type Turns } from "../../people/wallet/turns.ts";
import { EMPTY_WALLET, type Wallet } from "../../people/wallet/wallet.ts";

/** What one person's object keeps of money and turns, in its one row. */
export interface Purse {
  readonly wallet: Wallet;
  readonly turns: Turns;
  readonly lease: Lease;
  /** Number of the newest ask for a lease. */
  readonly seq: number;
}

const EMPTY: Purse = { wallet: EMPTY_WALLET, turns: NO_TURNS, lease: NO_LEASE, seq: 0 };

export function createPurse({ sql }: StoragePort): void {
  sql.exec("CREATE TABLE IF NOT EXISTS purse (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL) STRICT");
}

export function readPurse({ sql }: StoragePort): Purse {
  const [row] = sql.exec<{ body: string }>("SELECT body FROM purse").toArray();
  return row ? { ...EMPTY, ...(JSON.parse(row.body) as Partial<Purse>) } : EMPTY;
}

export function writePurse({ sql }: StoragePort, purse: Purse): void {
  const body = JSON.stringify(purse);
  sql.exec("INSERT INTO purse (id, body) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body", body);
}
