import type { ModelConfig } from "../protocol/config.ts";
import type { Usage } from "../protocol/message.ts";

/** Tokens of one call as the vendor counted them; `input` excludes both cached counts. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cachedRead: number;
  readonly cachedWrite: number;
}

/**
 * The usage with its cost. Dollars per million tokens are millionths of a dollar per token. A cached price that the
 * configuration leaves out counts as the price of input; no price at all costs 0.
 */
export function priceUsage(counts: TokenCounts, price: ModelConfig["price"]): Usage {
  if (price === undefined) return { ...counts, costMicros: 0 };
  const cost =
    counts.input * price.input +
    counts.output * price.output +
    counts.cachedRead * (price.cachedRead ?? price.input) +
    counts.cachedWrite * (price.cachedWrite ?? price.input);
  return { ...counts, costMicros: Math.round(cost) };
}
