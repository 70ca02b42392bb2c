import { err, ok, type Result } from "../../lib/result.ts";
import { monthOf } from "./calendar.ts";
import type { Caps } from "./caps.ts";

/** What was set aside and not settled counts in full after this long. Milliseconds. */
export const RESERVED_MS = 3_600_000;
/** Requests of one person that may be under way at once, over all conversations. */
export const MAX_OPEN = 200;
/** Reservations that ran out and are remembered, so that a late settlement corrects them. Above, the oldest stay as counted. */
export const MAX_EXPIRED = 200;

/** Something set aside, in millionths of a US dollar. `day`: the calendar day that it counts for. */
interface Reserved {
  readonly micros: number;
  readonly at: number;
  readonly day: string;
}

/** What one person spent and set aside. All money is in whole millionths of a US dollar. */
export interface Wallet {
  /** The calendar day that `today` is of; `month` is of its month. */
  readonly day: string;
  readonly today: number;
  readonly month: number;
  readonly open: { readonly [key: string]: Reserved };
  readonly expired: { readonly [key: string]: Reserved };
}

export const EMPTY_WALLET: Wallet = { day: "", today: 0, month: 0, open: {}, expired: {} };

/** Something to set aside. */
export interface Ask {
  readonly key: string;
  readonly micros: number;
}

/** Why nothing was set aside. `left`: what the cap still has, never below 0. */
export type WalletRefusal =
  | { readonly reason: "too_many" }
  | { readonly reason: "cap"; readonly per: "day" | "month"; readonly cap: number; readonly left: number };

/** The wallet as of now: a new day or month begins at 0, and what was not settled within the hour counts in full. */
export function asOf(wallet: Wallet, now: number, day: string): Wallet {
  let current = wallet.day === day ? wallet : turnPage(wallet, day);
  for (const [key, reserved] of Object.entries(current.open)) {
    if (now - reserved.at >= RESERVED_MS) current = expire(current, key, reserved);
  }
  return current;
}

function turnPage(wallet: Wallet, day: string): Wallet {
  const isSameMonth = monthOf(wallet.day) === monthOf(day);
  const expired = Object.entries(wallet.expired).filter(([, reserved]) => monthOf(reserved.day) === monthOf(day));
  return { ...wallet, day, today: 0, month: isSameMonth ? wallet.month : 0, expired: Object.fromEntries(expired) };
}

function expire(wallet: Wallet, key: string, reserved: Reserved): Wallet {
  const spent = add(without(wallet, key), reserved.day, reserved.micros);
  const expired = Object.entries({ ...wallet.expired, [key]: reserved }).slice(-MAX_EXPIRED);
  return { ...spent, expired: Object.fromEntries(expired) };
}

/**
 * Sets an amount aside, so that spent and set aside stay within the caps. Again under a key that is open: the newer amount
 * takes the older one's place, also of one that ran out. The wallet must be {@link asOf} now.
 */
export function reserve(wallet: Wallet, ask: Ask, caps: Caps, now: number): Result<Wallet, WalletRefusal> {
  // One that ran out was not used: it is the same request that asks again.
  const others = settle(without(wallet, ask.key), { key: ask.key, micros: 0 });
  const { perDay, perMonth } = caps;
  const [today, month] = [committed(others, "day"), committed(others, "month")];
  if (perDay !== null && ask.micros > 0 && today + ask.micros > perDay) {
    return err({ reason: "cap", per: "day", cap: perDay, left: Math.max(0, perDay - today) });
  }
  if (perMonth !== null && ask.micros > 0 && month + ask.micros > perMonth) {
    return err({ reason: "cap", per: "month", cap: perMonth, left: Math.max(0, perMonth - month) });
  }
  if (Object.keys(others.open).length >= MAX_OPEN) return err({ reason: "too_many" });
  const reserved: Reserved = { micros: ask.micros, at: now, day: wallet.day };
  return ok({ ...others, open: { ...others.open, [ask.key]: reserved } });
}

/**
 * Counts what something that was set aside came to, once: a key that is not known any more changes nothing. One that ran
 * out is corrected. It counts for the day on which it was set aside.
 */
export function settle(wallet: Wallet, { key, micros }: Ask): Wallet {
  const reserved = own(wallet.open, key);
  if (reserved) return add(without(wallet, key), reserved.day, micros);
  const late = own(wallet.expired, key);
  if (!late) return wallet;
  const { [key]: _corrected, ...expired } = wallet.expired;
  return { ...add(wallet, late.day, micros - late.micros), expired };
}

/** What two people spent and set aside, as one person's. Both must be {@link asOf} now. */
export function joinWallets(one: Wallet, other: Wallet): Wallet {
  const expired = Object.entries({ ...one.expired, ...other.expired }).toSorted(([, a], [, b]) => a.at - b.at);
  return {
    day: one.day,
    today: one.today + other.today,
    month: one.month + other.month,
    open: { ...one.open, ...other.open },
    expired: Object.fromEntries(expired.slice(-MAX_EXPIRED)),
  };
}

/** Spent and set aside in the current day or month. */
export function committed(wallet: Wallet, per: "day" | "month"): number {
  const spent = per === "day" ? wallet.today : wallet.month;
  return Object.values(wallet.open).reduce((sum, { micros, day }) => {
    const counts = per === "day" ? day === wallet.day : monthOf(day) === monthOf(wallet.day);
    return counts ? sum + micros : sum;
  }, spent);
}

function add(wallet: Wallet, day: string, micros: number): Wallet {
  const today = wallet.today + (day === wallet.day ? micros : 0);
  const month = wallet.month + (monthOf(day) === monthOf(wallet.day) ? micros : 0);
  return { ...wallet, today, month };
}

function without(wallet: Wallet, key: string): Wallet {
  if (!own(wallet.open, key)) return wallet;
  const { [key]: _gone, ...open } = wallet.open;
  return { ...wallet, open };
}

function own<T>(record: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
