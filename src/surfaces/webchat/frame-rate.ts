import { MAX_FRAMES_PER_MINUTE } from "../../protocol/limits.ts";
import type { FrameWindow } from "./attachment.ts";

const MINUTE_MS = 60_000;

/** Counts a frame. Undefined: it is one more than a socket may send in this minute. */
export function countFrame(window: FrameWindow, now: number): FrameWindow | undefined {
  if (now - window.startedAt >= MINUTE_MS) return { startedAt: now, count: 1 };
  if (window.count >= MAX_FRAMES_PER_MINUTE) return undefined;
  return { ...window, count: window.count + 1 };
}
