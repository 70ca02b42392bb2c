import type { Usage } from "../../protocol/message.ts";
import type { Tx } from "../commit/tx.ts";
import { textTokens } from "../compaction/estimate.ts";
import type { ModelError, ModelErrorKind } from "../ports/model.ts";
import type { Services } from "../run/services.ts";

/** One attempt of a request that was reserved. */
export interface Attempt {
  readonly key: string;
  readonly actor: string;
  readonly model: string;
}

/**
 * What an attempt came to: what the vendor counted, nothing where it refused unread, or else what was sent and what had
 * streamed when it broke off.
 */
export type Spent =
  | { readonly kind: "counted"; readonly usage: Usage }
  | { readonly kind: "nothing" }
  | { readonly kind: "interrupted"; readonly input: () => number; readonly streamed: string };

/** A vendor that answers with one of these has not worked on the request. */
const UNREAD: ReadonlySet<ModelErrorKind> = new Set([
  "overloaded",
  "rate_limit",
  "auth",
  "invalid_request",
  "unknown_model",
  "context_overflow",
]);

/** What a failed attempt came to. */
export function spentOnError({ kind, usage }: ModelError, interrupted: Spent): Spent {
  if (usage) return { kind: "counted", usage };
  return UNREAD.has(kind) ? { kind: "nothing" } : interrupted;
}

/** Notes inside the commit that ends an attempt what it came to. Without a meter, nothing. */
export function oweAttempt({ till }: Pick<Services, "till">, tx: Tx, attempt: Attempt, spent: Spent): void {
  if (!till || till.meter.isFree(attempt.model)) return;
  const { key, actor, model } = attempt;
  till.owe(tx, { key, actor, micros: microsOf(till.meter, model, spent) });
}

function microsOf(meter: NonNullable<Services["till"]>["meter"], model: string, spent: Spent): number {
  switch (spent.kind) {
    case "counted":
      return spent.usage.costMicros;
    case "nothing":
      return 0;
    case "interrupted":
      return meter.price(model, { input: spent.input(), output: textTokens(spent.streamed) });
  }
}
