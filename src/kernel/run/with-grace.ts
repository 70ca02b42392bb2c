import type { ClockPort } from "../ports/ports.ts";

/** Whoever ignores its signal is waited for this long, then the work goes on without it. Milliseconds. */
const GRACE_MS = 5_000;

/** The work's outcome; undefined when it was aborted and did not end within the grace. What it throws then goes nowhere. */
export async function withGrace<T>(clock: ClockPort, work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const over = new AbortController();
  const givenUp = whenAborted(signal, over.signal).then(() => clock.wait(clock.now() + GRACE_MS, over.signal));
  work.catch(() => undefined);
  try {
    return await Promise.race([work, givenUp.then(() => undefined)]);
  } finally {
    over.abort();
  }
}

function whenAborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true, signal: over });
  });
}
