import { monthOf } from "./calendar.ts";
import type { Caps } from "./caps.ts";
import { committed, type Wallet } from "./wallet.ts";

/** Part of a cap that a person's object may hold beyond what it needs. */
const SLICE = 1 / 100;
/** A slice where there is no cap: then the deployment's object is told as often as this much is spent. */
const UNCAPPED_SLICE = 1_000_000;

/**
 * How much of the deployment's caps a person's object holds: spent and set aside there stays within it. `month` goes with
 * the month of `day`.
 */
export interface Lease {
  readonly day: string;
  readonly perDay: number;
  readonly perMonth: number;
}

export const NO_LEASE: Lease = { day: "", perDay: 0, perMonth: 0 };

/** Amounts of a day and of its month, in millionths of a US dollar. */
export interface Amounts {
  readonly perDay: number;
  readonly perMonth: number;
}

/** What a person's object says of itself, and how much it asks to hold: at least `need`, at best `want`. */
export interface LeaseAsk {
  /** A newer ask has a higher one. */
  readonly seq: number;
  readonly day: string;
  readonly used: Amounts;
  readonly need: Amounts;
  readonly want: Amounts;
}

/** True when an amount more fits into what is held. */
export function covers(lease: Lease, wallet: Wallet, key: string, micros: number): boolean {
  if (lease.day !== wallet.day) return false;
  const need = needOf(wallet, key, micros);
  return need.perDay <= lease.perDay && need.perMonth <= lease.perMonth;
}

/** The ask for a lease that has room for an amount more. */
export function askFor(wallet: Wallet, key: string, micros: number, caps: Caps, seq: number): LeaseAsk {
  const need = needOf(wallet, key, micros);
  const want = { perDay: need.perDay + sliceOf(caps.perDay), perMonth: need.perMonth + sliceOf(caps.perMonth) };
  return { seq, day: wallet.day, used: usedOf(wallet), need, want };
}

/** Gives back what is not needed. */
export function giveBack(wallet: Wallet, seq: number): LeaseAsk {
  const need = { perDay: committed(wallet, "day"), perMonth: committed(wallet, "month") };
  return { seq, day: wallet.day, used: usedOf(wallet), need, want: need };
}

/** What two held as one, as of the later day. */
export function joinLeases(one: Lease, other: Lease): Lease {
  const [late, early] = one.day >= other.day ? [one, other] : [other, one];
  const isSameMonth = monthOf(early.day) === monthOf(late.day);
  return {
    day: late.day,
    perDay: late.perDay + (early.day === late.day ? early.perDay : 0),
    perMonth: late.perMonth + (isSameMonth ? early.perMonth : 0),
  };
}

function needOf(wallet: Wallet, key: string, micros: number): Amounts {
  const { [key]: _again, ...open } = wallet.open;
  const others = { ...wallet, open };
  return { perDay: committed(others, "day") + micros, perMonth: committed(others, "month") + micros };
}

function usedOf({ today, month }: Wallet): Amounts {
  return { perDay: today, perMonth: month };
}

function sliceOf(cap: number | null): number {
  return cap === null ? UNCAPPED_SLICE : Math.floor(cap * SLICE);
}
