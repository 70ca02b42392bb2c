import { vi } from "vitest";

const DAY_MS = 24 * 60 * 60_000;
const real = Date.now.bind(Date);

/** Moves the wall clock of this isolate, objects included, ahead. It goes on at its pace. */
export function passTime(ms: number): void {
  const aheadMs = Date.now() - real() + ms;
  vi.spyOn(Date, "now").mockImplementation(() => real() + aheadMs);
}

/** Where the day (UTC) ends within this time, begins with the next one: what is counted by days then stays on one. */
export function stayInOneDay(ms: number): void {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left <= ms) passTime(left);
}

/** The wall clock is the real one again. */
export function restoreClock(): void {
  vi.restoreAllMocks();
}
