import { abortable } from "../../lib/abortable.ts";
import type { ClockPort } from "../ports/ports.ts";

/** Code of the host and of plugins that takes longer is not waited for. Milliseconds. */
const MAX_HANDLER_MS = 60_000;

/**
 * The work's outcome. @throws what the work threw; at once when the signal aborts; an error that says so when it takes
 * longer than {@link MAX_HANDLER_MS}. What it comes to afterwards goes nowhere.
 */
export async function withLimit<T>(clock: ClockPort, work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  const late = clock.wait(clock.now() + MAX_HANDLER_MS, over.signal).then(() => {
    if (!over.signal.aborted) throw new Error(`it took longer than ${MAX_HANDLER_MS / 1000} s`);
  });
  late.catch(() => undefined);
  try {
    return await abortable(Promise.race([work, late.then(() => work)]), signal);
  } finally {
    over.abort();
  }
}
