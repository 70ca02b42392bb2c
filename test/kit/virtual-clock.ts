import type { ClockPort } from "../../src/kernel/index.ts";

interface Timer {
  readonly at: number;
  readonly resolve: () => void;
}

/** Far enough ahead that an alarm set for a virtual time never fires by itself in a real object. */
const START = 4_000_000_000_000;

/** Time that stands still until a test moves it. */
export class VirtualClock implements ClockPort {
  #now = START;
  #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  wait(untilMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || untilMs <= this.#now) return resolve();
      const timer: Timer = { at: untilMs, resolve };
      this.#timers.push(timer);
      signal.addEventListener("abort", () => this.#fire(timer), { once: true });
    });
  }

  /** When the next waiter is due; undefined: nobody waits. */
  nextTimer(): number | undefined {
    return this.#timers.reduce<number | undefined>(
      (min, t) => (min === undefined || t.at < min ? t.at : min),
      undefined,
    );
  }

  /** Moves time forward and lets everybody go on whose time has come. */
  advanceTo(at: number): void {
    this.#now = Math.max(this.#now, at);
    for (const timer of this.#timers.filter((t) => t.at <= this.#now)) this.#fire(timer);
  }

  /** Forgets all waiters: their process died. */
  clear(): void {
    this.#timers = [];
  }

  #fire(timer: Timer): void {
    this.#timers = this.#timers.filter((other) => other !== timer);
    timer.resolve();
  }
}
