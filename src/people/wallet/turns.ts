import { err, ok, type Result } from "../../lib/result.ts";
import type { TurnLimits } from "../../protocol/spending.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** A turn whose end was never told counts no longer than this: it may work for 10 minutes. */
export const RUNNING_MS = 15 * MINUTE_MS;

/** Begun turns of a stretch of time that began at `since`. */
interface Window {
  readonly since: number;
  readonly count: number;
}

/** The turns of one person. `running`: when each began, by key. */
export interface Turns {
  readonly running: { readonly [key: string]: number };
  readonly minute: Window;
  readonly hour: Window;
}

export const NO_TURNS: Turns = { running: {}, minute: { since: 0, count: 0 }, hour: { since: 0, count: 0 } };

/** Why a turn may not begin; `inMs`: when the window ends. */
export type TurnRefusal =
  | { readonly reason: "running"; readonly limit: number }
  | { readonly reason: "minute" | "hour"; readonly limit: number; readonly inMs: number };

/** Counts a turn that begins. One that runs already is counted once. */
export function beginTurn(turns: Turns, key: string, limits: TurnLimits, now: number): Result<Turns, TurnRefusal> {
  if (Object.hasOwn(turns.running, key)) return ok(turns);
  const alive = Object.entries(turns.running).filter(([, since]) => now - since < RUNNING_MS);
  const minute = current(turns.minute, MINUTE_MS, now);
  const hour = current(turns.hour, HOUR_MS, now);
  if (alive.length >= limits.running) return err({ reason: "running", limit: limits.running });
  if (minute.count >= limits.perMinute) {
    return err({ reason: "minute", limit: limits.perMinute, inMs: minute.since + MINUTE_MS - now });
  }
  if (hour.count >= limits.perHour) {
    return err({ reason: "hour", limit: limits.perHour, inMs: hour.since + HOUR_MS - now });
  }
  return ok({ running: { ...Object.fromEntries(alive), [key]: now }, minute: oneMore(minute), hour: oneMore(hour) });
}

/** A turn ended or rests; one that is not known changes nothing. */
export function endTurn(turns: Turns, key: string): Turns {
  if (!Object.hasOwn(turns.running, key)) return turns;
  const { [key]: _ended, ...running } = turns.running;
  return { ...turns, running };
}

/** The turns of two people as one person's: what one window has counted counts until the later one ends. */
export function joinTurns(one: Turns, other: Turns, now: number): Turns {
  return {
    running: { ...one.running, ...other.running },
    minute: joinWindows(current(one.minute, MINUTE_MS, now), current(other.minute, MINUTE_MS, now)),
    hour: joinWindows(current(one.hour, HOUR_MS, now), current(other.hour, HOUR_MS, now)),
  };
}

function joinWindows(one: Window, other: Window): Window {
  if (one.count === 0 || other.count === 0) return one.count === 0 ? other : one;
  return { since: Math.max(one.since, other.since), count: one.count + other.count };
}

function current(window: Window, lengthMs: number, now: number): Window {
  return now - window.since < lengthMs ? window : { since: now, count: 0 };
}

function oneMore({ since, count }: Window): Window {
  return { since, count: count + 1 };
}
