import { MAX_ATTEMPTS, MAX_RETRY_AFTER_MS, RETRY_BASE_MS, RETRY_CAP_MS } from "../limits.ts";
import type { ModelError } from "../ports/model.ts";

/** Whether a failed attempt is repeated, and after how long. */
export type RetryVerdict = { readonly retry: true; readonly delayMs: number } | { readonly retry: false };

/**
 * 2 s doubled with each attempt up to 60 s, or as long as the vendor asked; five attempts in all.
 * @param attempt the attempt that failed, from 1.
 */
export function decideRetry(error: ModelError, attempt: number): RetryVerdict {
  if (!error.retryable || attempt >= MAX_ATTEMPTS) return { retry: false };
  const backoffMs = Math.min(RETRY_CAP_MS, RETRY_BASE_MS * 2 ** (attempt - 1));
  const delayMs = Math.max(backoffMs, error.retryAfterMs ?? 0);
  return delayMs > MAX_RETRY_AFTER_MS ? { retry: false } : { retry: true, delayMs };
}
