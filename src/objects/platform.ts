import type { AlarmPort, ClockPort, RandomPort } from "../kernel/index.ts";
import { ulid } from "../lib/ulid.ts";

/** The platform's clock. Deployed, it stands still between I/O. */
export const systemClock: ClockPort = {
  now: () => Date.now(),
  wait: (untilMs, signal) =>
    new Promise((resolve) => {
      const delay = untilMs - Date.now();
      if (signal.aborted || delay <= 0) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      // The longest timer the platform takes; whoever waits longer looks again when it fires.
      const timer = setTimeout(done, Math.min(delay, MAX_TIMER_MS));
      signal.addEventListener("abort", done, { once: true });
    }),
};

const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemRandom: RandomPort = {
  ulid: () => ulid(Date.now(), (bytes) => crypto.getRandomValues(bytes)),
  unit: () => Math.random(),
};

/** The object's one alarm. The platform's promises are not awaited: inside a transaction the change is part of it. */
export function objectAlarm(storage: DurableObjectStorage): AlarmPort {
  return {
    set: (atMs) => void storage.setAlarm(atMs),
    delete: () => void storage.deleteAlarm(),
  };
}
