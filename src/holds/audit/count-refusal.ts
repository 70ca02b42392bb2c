/** Refused presses of one person at one card that get a line each, and for how long they are counted together. */
const MAX_REFUSAL_LINES = 20;
const REFUSAL_WINDOW_MS = 3_600_000;

/** Refused presses of one person at one card since a first one. */
export interface RefusalCount {
  readonly since: number;
  readonly count: number;
}

/** Counts one more. `told`: it gets a line of its own. */
export function countRefusal(
  known: RefusalCount | undefined,
  now: number,
): { readonly next: RefusalCount; readonly told: boolean } {
  const next = known && !isOver(known, now) ? { ...known, count: known.count + 1 } : { since: now, count: 1 };
  return { next, told: next.count <= MAX_REFUSAL_LINES };
}

/** True once no press is counted together with these any more. */
export function isOver({ since }: RefusalCount, now: number): boolean {
  return now - since >= REFUSAL_WINDOW_MS;
}

/** How many of them have no line of their own. */
export function untold({ count }: RefusalCount): number {
  return Math.max(0, count - MAX_REFUSAL_LINES);
}
