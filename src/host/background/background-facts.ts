import { type Json } from "../../lib/json.ts";
import { TIERS, type Tier } from "../../people/facts.ts";
import type { BackgroundOrder } from "./background-order.ts";

/** What a background turn's input keeps beside its author. */
export interface BackgroundFacts {
  readonly target: string;
  readonly tier: Tier;
}

/** The meta of a background turn's input. */
export function backgroundMeta({ target, tier }: BackgroundOrder): Json {
  return { background: { target, tier } };
}

/** Read back; undefined: the turn is no background turn. What is damaged counts as the lowest tier. */
export function backgroundFactsOf(meta: Json): BackgroundFacts | undefined {
  const stored = (meta as { readonly background?: Json } | null)?.background;
  if (stored === undefined || stored === null || typeof stored !== "object") return undefined;
  const { target, tier } = stored as { readonly target?: Json; readonly tier?: Json };
  return { target: typeof target === "string" ? target : "", tier: TIERS.find((known) => known === tier) ?? "guest" };
}
