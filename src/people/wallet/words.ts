import { unreachable } from "../../lib/assert.ts";
import type { FullCap } from "./budget.ts";
import { MICROS } from "./caps.ts";
import type { TurnRefusal } from "./turns.ts";
import { MAX_OPEN, type WalletRefusal } from "./wallet.ts";

/** An amount for people, `$1.25`; small ones with as many digits as they need to show. */
export function dollars(micros: number): string {
  const digits = micros > 0 && micros < MICROS / 100 ? 4 : 2;
  return `$${(micros / MICROS).toFixed(digits)}`;
}

const NEXT = {
  day: (zone: string) => `It begins anew at midnight (${zone}).`,
  month: (zone: string) => `It begins anew with the next month (${zone}).`,
} as const;

/** Why a person's own wallet refuses a request that may cost this much. */
export function walletWords(refusal: WalletRefusal, micros: number, zone: string): string {
  switch (refusal.reason) {
    case "too_many":
      return `You have ${MAX_OPEN} requests under way, the limit: wait for some of them to end.`;
    case "cap": {
      const { per, cap, left } = refusal;
      const facts = `This request may cost up to ${dollars(micros)}, and of your ${dollars(cap)} a ${per} ${dollars(left)} is left.`;
      return `${facts} ${NEXT[per](zone)} An owner can raise your cap: "spending" in althing.config.ts.`;
    }
    default:
      return unreachable(refusal);
  }
}

/** Why the deployment's caps refuse a request. Says nothing of what others spent. */
export function budgetWords(per: FullCap, zone: string): string {
  const facts = `This deployment's spending for this ${per} is used up.`;
  return `${facts} ${NEXT[per](zone)} An owner can raise it: "spending.deployment" in althing.config.ts.`;
}

export function turnWords(refusal: TurnRefusal): string {
  switch (refusal.reason) {
    case "running":
      return `You have ${refusal.limit} turns running, the limit: wait for one to end, then try again.`;
    case "minute":
    case "hour": {
      const wait = `try again in ${Math.max(1, Math.ceil(refusal.inMs / 1_000))} s`;
      return `You began ${refusal.limit} turns within a ${refusal.reason}, the limit: ${wait}.`;
    }
    default:
      return unreachable(refusal);
  }
}
