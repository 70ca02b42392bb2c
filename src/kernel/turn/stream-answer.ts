import type { ModelError, ModelFrame, ModelRequest } from "../ports/model.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";

/** How often streamed text is saved, at most. A crash loses this much of what a stop would show. */
const SAVE_EVERY_MS = 2_000;

/** How a request ended. */
export type StreamEnd =
  | Extract<ModelFrame, { type: "end" }>
  | Extract<ModelFrame, { type: "error" }>
  | { readonly type: "time_limit" };

/**
 * Sends a request and publishes its text while it arrives. @throws when the invocation was stopped meanwhile.
 * @param attempt the turn's count of requests: it tells this request's text from that of any other.
 * @param deadline when the turn's work time is over, ms.
 */
export async function streamAnswer(
  services: Services,
  run: Run,
  attempt: number,
  request: ModelRequest,
  deadline: number,
): Promise<StreamEnd> {
  const { clock, model } = services.ports;
  const limit = new AbortController();
  const over = new AbortController();
  const timer = clock.wait(deadline, over.signal).then(() => {
    if (!over.signal.aborted) limit.abort();
  });
  const signal = AbortSignal.any([run.signal, limit.signal]);
  services.calls.count++;
  try {
    const end = await readFrames(services, run, attempt, model.stream(request, signal));
    run.signal.throwIfAborted();
    return limit.signal.aborted ? { type: "time_limit" } : end;
  } finally {
    over.abort();
    await timer;
  }
}

async function readFrames(
  services: Services,
  run: Run,
  attempt: number,
  frames: AsyncIterable<ModelFrame>,
): Promise<StreamEnd> {
  const { live } = services;
  let savedAt = services.ports.clock.now();
  for await (const frame of frames) {
    run.signal.throwIfAborted();
    if (frame.type === "end" || frame.type === "error") return frame;
    live.add(run.id, attempt, frame.type, frame.text);
    const now = services.ports.clock.now();
    if (now - savedAt < SAVE_EVERY_MS) continue;
    savedAt = now;
    run.commit((tx) => tx.slot(run.id, { text: live.textOf(run.id, "text").slice(-MAX_SAVED_UNITS) }));
  }
  return { type: "error", error: ENDED_SILENTLY };
}

const MAX_SAVED_UNITS = 60_000;

const ENDED_SILENTLY: ModelError = {
  kind: "cut",
  message: "The model's answer ended before it was complete.",
  retryable: true,
};
