/**
 * The work's outcome, or a rejection (its cause is the signal's reason) as soon as it aborts, even when the work does not listen.
 * The work itself goes on unless it listens too.
 */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(new Error("stopped before it was done", { cause: signal.reason }));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
