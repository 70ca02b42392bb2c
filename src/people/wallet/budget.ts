import { err, ok, type Result } from "../../lib/result.ts";
import type { Caps } from "./caps.ts";
import type { Amounts, LeaseAsk } from "./lease.ts";

/** Shares of the deployment's cap at which its owners are told. */
export const ALERTS = [50, 80, 100] as const;
export type AlertShare = (typeof ALERTS)[number];

/** Which cap of the deployment has no room. */
export type FullCap = "day" | "month";

/** `overtaken`: a newer ask of the same person was answered already. */
export type BudgetRefusal = FullCap | "overtaken";

/**
 * How much of the deployment's caps somebody may hold.
 * @param others what everybody else holds.
 * @returns as much as is wanted and free, at least what is needed; else which cap is in the way.
 */
export function decideLease(others: Amounts, ask: LeaseAsk, caps: Caps): Result<Amounts, FullCap> {
  const perDay = decideAmount(others.perDay, ask.need.perDay, ask.want.perDay, caps.perDay);
  if (perDay === undefined) return err("day");
  const perMonth = decideAmount(others.perMonth, ask.need.perMonth, ask.want.perMonth, caps.perMonth);
  if (perMonth === undefined) return err("month");
  return ok({ perDay, perMonth });
}

function decideAmount(others: number, need: number, want: number, cap: number | null): number | undefined {
  if (cap === null) return want;
  const free = cap - others;
  return need > free ? undefined : Math.min(want, free);
}

/** The highest share of a cap that is reached. `isRefused`: somebody was refused for want of room, so it is used up. */
export function shareReached(used: number, cap: number | null, isRefused: boolean): AlertShare | undefined {
  if (cap === null || cap === 0) return undefined;
  if (isRefused) return 100;
  return ALERTS.findLast((share) => used * 100 >= cap * share);
}
