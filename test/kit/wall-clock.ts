import { vi } from "vitest";

const real = Date.now.bind(Date);

/** Moves the wall clock of this isolate, objects included, ahead. It goes on at its pace. */
export function passTime(ms: number): void {
  const aheadMs = Date.now() - real() + ms;
  vi.spyOn(Date, "now").mockImplementation(() => real() + aheadMs);
}

/** The wall clock is the real one again. */
export function restoreClock(): void {
  vi.restoreAllMocks();
}
