import type { ClockPort } from "../../src/kernel/ports/ports.ts";

/** The time of the machine. */
export const realClock: ClockPort = {
  now: () => Date.now(),
  wait: (untilMs, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, untilMs - Date.now()));
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};
