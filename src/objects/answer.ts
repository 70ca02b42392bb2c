import type { Result } from "../lib/result.ts";
import type { ErrorCode } from "../protocol/frames.ts";

/** A refusal that the person may read. `not_found` also hides what the caller may not see. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly ref?: string;
  /** Seconds after which it may be tried again. */
  readonly retryAfterS?: number;
}

export type Answer<T> = Promise<Result<T, Refusal>>;
