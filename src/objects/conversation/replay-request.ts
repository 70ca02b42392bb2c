import type { ClockPort, ModelFrame, ModelPort, ModelRequest } from "../../kernel/index.ts";
import { abortable } from "../../lib/abortable.ts";
import type { ReplayAnswer } from "../../protocol/rest.ts";
import { withoutNative } from "./without-native.ts";

/** How long the answer to a request that is sent again is waited for. */
const MAX_REPLAY_MS = 2 * 60_000;

/** Sends a request once and gives what came of it. Shows nothing meanwhile, stores nothing, runs no tool. */
export async function replayRequest(model: ModelPort, clock: ClockPort, request: ModelRequest): Promise<ReplayAnswer> {
  const startedAt = clock.now();
  const answered = new AbortController();
  const late = new AbortController();
  void clock.wait(startedAt + MAX_REPLAY_MS, answered.signal).then(() => late.abort());
  try {
    const frame = await abortable(lastFrame(model.stream(request, late.signal)), late.signal);
    return answerOf(frame, clock.now() - startedAt);
  } catch (error) {
    if (!late.signal.aborted) throw error;
    return { ok: false, error: `${request.model} has not answered within ${MAX_REPLAY_MS / 60_000} minutes.` };
  } finally {
    answered.abort();
  }
}

async function lastFrame(frames: AsyncIterable<ModelFrame>): Promise<ModelFrame | undefined> {
  let last: ModelFrame | undefined;
  for await (const frame of frames) last = frame;
  return last;
}

function answerOf(frame: ModelFrame | undefined, ms: number): ReplayAnswer {
  switch (frame?.type) {
    case "end":
      return { ok: true, message: withoutNative(frame.message), usage: frame.usage, ms };
    case "error":
      return { ok: false, error: frame.error.message };
    default:
      return { ok: false, error: "The model's answer broke off." };
  }
}
