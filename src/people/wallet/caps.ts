import type { CapsConfig, SpendingConfig } from "../../protocol/spending.ts";
import type { Tier } from "../facts.ts";

/** Millionths of a US dollar in one. */
export const MICROS = 1_000_000;

/** The most that may be spent in a calendar day and month, in millionths of a US dollar; null: no cap. */
export interface Caps {
  readonly perDay: number | null;
  readonly perMonth: number | null;
}

export const NO_CAPS: Caps = { perDay: null, perMonth: null };

/** What one person may spend: as named for them, else as for their tier. */
export function capsOf(spending: SpendingConfig, principalId: string, tier: Tier): Caps {
  const own = Object.hasOwn(spending.people, principalId) ? spending.people[principalId] : undefined;
  return inMicros(own ?? spending.tiers[tier]);
}

export function deploymentCaps(spending: SpendingConfig): Caps {
  return inMicros(spending.deployment);
}

function inMicros({ perDay, perMonth }: CapsConfig): Caps {
  return { perDay: toMicros(perDay), perMonth: toMicros(perMonth) };
}

function toMicros(dollars: number | undefined): number | null {
  return dollars === undefined ? null : Math.round(dollars * MICROS);
}
