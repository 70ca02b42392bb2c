/** Resolves when `signal` aborts; lets go of it when `until` does, because a turn's signal outlives many calls. */
export function whenAborted(signal: AbortSignal, until: AbortSignal): Promise<"aborted"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("aborted");
    else signal.addEventListener("abort", () => resolve("aborted"), { once: true, signal: until });
  });
}

/** The work's result, or "aborted" as soon as the signal aborts. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | "aborted"> {
  const settled = new AbortController();
  try {
    return await firstOf(work, whenAborted(signal, settled.signal));
  } finally {
    settled.abort();
  }
}

/** The first of the two. What the loser does later was already answered for, so its rejection is nobody's. */
export function firstOf<T, I>(work: Promise<T>, interruption: Promise<I>): Promise<T | I> {
  ignoreRejection(work);
  return Promise.race([interruption, work]);
}

/** For work whose outcome nobody needs any more. */
export function ignoreRejection(work: Promise<unknown>): void {
  work.catch(() => undefined);
}
