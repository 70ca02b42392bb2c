import { describe, expect, it } from "vitest";
import type { FrameWindow } from "../../../src/surfaces/webchat/attachment.ts";
import { countFrame } from "../../../src/surfaces/webchat/frame-rate.ts";
import { NOW } from "./fake-socket.ts";

/** Counts so many frames at one instant; undefined once one is refused. */
function counted(
  frames: number,
  at: number,
  from: FrameWindow = { startedAt: NOW, count: 0 },
): FrameWindow | undefined {
  let window: FrameWindow | undefined = from;
  for (let i = 0; i < frames && window; i++) window = countFrame(window, at);
  return window;
}

describe("frames of one socket", () => {
  it("[W-5] 60 in a minute are counted, the next is refused", () => {
    expect(counted(60, NOW)).toEqual({ startedAt: NOW, count: 60 });
    expect(counted(61, NOW)).toBeUndefined();
  });

  it("[W-5] the minute counts from the first frame: a millisecond before its end nothing is forgiven", () => {
    const full: FrameWindow = { startedAt: NOW, count: 60 };
    expect(countFrame(full, NOW + 59_999)).toBeUndefined();
    expect(countFrame(full, NOW + 60_000)).toEqual({ startedAt: NOW + 60_000, count: 1 });
  });
});
