import { contextTokensOf, type PromptSize } from "../compaction/estimate.ts";
import { deriveBaseline } from "../context/derive.ts";
import type { Services } from "../run/services.ts";

/** Tokens of a request whose prompt was stated already. */
export function requestTokens(services: Services, cutoff: number, volatile: string): number {
  const entries = services.active.upTo(cutoff);
  return contextTokensOf(entries, { ...deriveBaseline(entries), volatile }, "");
}

/** Tokens of the request that a step would make now. */
export function nextRequestTokens({ active, store }: Services, prompt: PromptSize): number {
  return contextTokensOf(active.upTo(store.control.lastEntry), prompt, "");
}

/**
 * An estimate that the vendor's count will hardly exceed: half as much again for languages and code that take more tokens
 * a byte, and some for what joins at the last moment.
 */
export function estimatedHigh(tokens: number): number {
  return Math.ceil(tokens * 1.5) + 1_000;
}
