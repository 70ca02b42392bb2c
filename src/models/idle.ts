import type { ClockPort } from "../kernel/ports/ports.ts";

/** How long a server may stay silent, in milliseconds. */
export interface IdleLimits {
  /** Until its first byte. */
  readonly firstMs: number;
  /** Between two reads. */
  readonly betweenMs: number;
}

export const DEFAULT_IDLE: IdleLimits = { firstMs: 60_000, betweenMs: 60_000 };
/** A model that thinks may say nothing, not even a ping, until its answer begins. */
export const THINKING_IDLE: IdleLimits = { firstMs: 300_000, betweenMs: 300_000 };

export interface IdleWatch {
  /** Resolves once the server was silent for too long; never otherwise. */
  readonly expired: Promise<"idle">;
  /** The server gave a sign of life. */
  touch(): void;
  /** Ends the watch and its timer. */
  stop(): void;
}

/** One timer for all reads of a stream: re-armed only when it fires, since a timer per delta would cost more than the delta. */
export function watchIdle(clock: ClockPort, limits: IdleLimits): IdleWatch {
  const stopped = new AbortController();
  let deadline = clock.now() + limits.firstMs;

  async function watch(resolve: (value: "idle") => void): Promise<void> {
    while (!stopped.signal.aborted) {
      const until = deadline;
      await clock.wait(until, stopped.signal);
      if (!stopped.signal.aborted && deadline === until) {
        resolve("idle");
        return;
      }
    }
  }

  return {
    expired: new Promise((resolve, reject) => {
      watch(resolve).catch(reject);
    }),
    touch() {
      deadline = clock.now() + limits.betweenMs;
    },
    stop() {
      stopped.abort();
    },
  };
}
