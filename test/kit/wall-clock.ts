import { vi } from "vitest";

const real = Date.now.bind(Date);

/** Moves the wall clock of this isolate, objects included, so far ahead of the real one. It goes on at its pace. */
export function shiftClock(aheadMs: number): void {
  vi.spyOn(Date, "now").mockImplementation(() => real() + aheadMs);
}

/** Moves the wall clock on from where it is. */
export function passTime(ms: number): void {
  shiftClock(Date.now() - real() + ms);
}

/** The wall clock is the real one again. */
export function restoreClock(): void {
  vi.restoreAllMocks();
}
