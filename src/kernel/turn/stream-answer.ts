import { NO_USAGE, type Usage } from "../../protocol/message.ts";
import type { ModelError, ModelFrame, ModelRequest } from "../ports/model.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import { withGrace } from "../run/with-grace.ts";
import type { SavedText } from "./partial-text.ts";

/** How often streamed text is saved, at most. A crash loses this much of what a stop would show. */
const SAVE_EVERY_MS = 2_000;

type LastFrame = Extract<ModelFrame, { type: "end" | "error" }>;

/** How a request ended. */
export type StreamEnd = LastFrame | { readonly type: "time_limit"; readonly usage: Usage };

/**
 * Sends a request and publishes its text while it arrives. @throws when the invocation was stopped meanwhile.
 * @param attempt the turn's count of requests: it tells this request's text from that of any other.
 * @param deadline when the turn's work time is over, ms.
 */
export function streamAnswer(
  services: Services,
  run: Run,
  attempt: number,
  request: ModelRequest,
  deadline: number,
): Promise<StreamEnd> {
  return sendWithin(services, run, request, deadline, (frames, signal) =>
    readFrames(services, run, attempt, frames, signal),
  );
}

/**
 * Sends a request and waits for its end, not longer than to the deadline. @throws when the invocation was stopped
 * meanwhile; then what the request cost is left to whoever ends its task.
 */
export async function sendWithin(
  services: Services,
  run: Run,
  request: ModelRequest,
  deadline: number,
  read: (frames: AsyncIterable<ModelFrame>, signal: AbortSignal) => Promise<LastFrame>,
): Promise<StreamEnd> {
  // A stop may fall between the commit of the request and here: then it does not leave.
  run.signal.throwIfAborted();
  const { clock, model } = services.ports;
  const limit = new AbortController();
  const over = new AbortController();
  const timer = clock.wait(deadline, over.signal).then(() => {
    if (!over.signal.aborted) limit.abort();
  });
  const signal = AbortSignal.any([run.signal, limit.signal]);
  services.calls.count++;
  try {
    const end = await withGrace(clock, read(model.stream(request, signal), signal), signal);
    if (run.signal.aborted) keepUsage(services, run.id, end);
    run.signal.throwIfAborted();
    if (end && (end.type === "end" || !limit.signal.aborted)) return end;
    return { type: "time_limit", usage: end?.error.usage ?? NO_USAGE };
  } finally {
    over.abort();
    await timer;
  }
}

/** Reads to the last frame and shows nothing of it. */
export async function readQuietly(frames: AsyncIterable<ModelFrame>, signal: AbortSignal): Promise<LastFrame> {
  for await (const frame of frames) {
    if (frame.type === "end" || frame.type === "error") return frame;
    if (signal.aborted) break;
  }
  return { type: "error", error: ENDED_SILENTLY };
}

/** What a stopped request cost is counted by whoever ends its task. */
function keepUsage({ lateUsage }: Services, task: number, end: LastFrame | undefined): void {
  const usage = end?.type === "end" ? end.usage : end?.error.usage;
  if (usage) lateUsage.set(task, usage);
}

async function readFrames(
  services: Services,
  run: Run,
  attempt: number,
  frames: AsyncIterable<ModelFrame>,
  signal: AbortSignal,
): Promise<LastFrame> {
  const { live } = services;
  let savedAt = services.ports.clock.now();
  for await (const frame of frames) {
    if (frame.type === "end" || frame.type === "error") return frame;
    if (signal.aborted) break;
    live.add(run.id, attempt, frame.type, frame.text);
    const now = services.ports.clock.now();
    if (now - savedAt < SAVE_EVERY_MS) continue;
    savedAt = now;
    const saved: SavedText = { request: attempt, text: live.textOf(run.id, "text").slice(-MAX_SAVED_UNITS) };
    run.commit((tx) => tx.slot(run.id, { ...saved }));
  }
  return { type: "error", error: ENDED_SILENTLY };
}

/** Fits into a slot even when each unit is written as an escape of six bytes. */
const MAX_SAVED_UNITS = 40_000;

const ENDED_SILENTLY: ModelError = {
  kind: "cut",
  message: "The model's answer ended before it was complete.",
  retryable: true,
};
