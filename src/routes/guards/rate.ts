import { Refuse } from "../refusal.ts";

/** Requests of one person, and of one address that nobody has signed in from, in one minute of one isolate. */
export const MAX_REQUESTS_PER_MINUTE = 1_200;
const MINUTE_MS = 60_000;
/** Senders that are remembered. The oldest minute goes first. */
export const MAX_SENDERS = 10_000;

/**
 * Counts requests in memory, so that whoever asks without end costs neither a row nor another object. Each isolate counts for
 * itself: this keeps a runaway client off, and is no quota.
 */
export class RateGuard {
  readonly #limit: number;
  readonly #windows = new Map<string, { readonly startedAt: number; count: number }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws Refuse with the seconds after which this sender may go on. */
  refuseOver(sender: string, now: number): void {
    const window = this.#windows.get(sender);
    if (!window || window.count < this.#limit || now - window.startedAt >= MINUTE_MS) return;
    throw new Refuse({
      code: "rate_limited",
      message: `More than ${this.#limit} requests in a minute. Wait until the minute is over, then go on.`,
      retryAfterS: Math.ceil((window.startedAt + MINUTE_MS - now) / 1_000),
    });
  }

  /** Counts one request. */
  count(sender: string, now: number): void {
    const known = this.#windows.get(sender);
    if (known && now - known.startedAt < MINUTE_MS) {
      known.count++;
      return;
    }
    this.#windows.delete(sender);
    this.#windows.set(sender, { startedAt: now, count: 1 });
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MAX_SENDERS && oldest !== undefined) this.#windows.delete(oldest);
  }
}

/** Whom a request is counted for until its sender is known. */
export function addressOf(request: Request): string {
  return `address ${request.headers.get("cf-connecting-ip") ?? "unknown"}`;
}
