import type { ClockPort } from "../../src/kernel/ports/ports.ts";

export interface FakeClock extends ClockPort {
  /** Moves the time and wakes what waits for it. */
  advance(ms: number): Promise<void>;
  /** Waits that have not ended. */
  readonly waiting: number;
}

/** Time that moves only when told. */
export function fakeClock(startMs = 1_000_000): FakeClock {
  let now = startMs;
  const waits = new Set<{ readonly untilMs: number; readonly wake: () => void }>();
  return {
    now: () => now,
    wait(untilMs, signal) {
      return new Promise((resolve) => {
        if (signal.aborted || untilMs <= now) {
          resolve();
          return;
        }
        const entry = {
          untilMs,
          wake: () => {
            waits.delete(entry);
            resolve();
          },
        };
        waits.add(entry);
        signal.addEventListener("abort", entry.wake, { once: true });
      });
    },
    async advance(ms) {
      now += ms;
      for (const { untilMs, wake } of waits) if (untilMs <= now) wake();
      await settle();
    },
    get waiting() {
      return waits.size;
    },
  };
}

/** Lets everything run that is ready to. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
