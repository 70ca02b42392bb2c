const HOUR_MS = 3_600_000;

/** How long a card stays answerable when its rule says nothing else. */
const DEFAULT_DEADLINE_MS = 24 * HOUR_MS;
/** How long before the deadline people are reminded, once. */
const REMINDER_LEAD_MS = HOUR_MS;
/** How long a turn of a shared conversation waits for a decision before it goes on without it. */
export const GRACE_MS = 120_000;
/** The last instant that a date can name. A deadline beyond it would never come. */
const LAST_INSTANT = 8.64e15;

/**
 * The instant at which a card that is asked now stops being answerable.
 * @param deadlineMs what the rule says; absent: 24 h. Unreadable (no number, NaN, negative, endless): expired at once.
 */
export function holdDeadline(askedAt: number, deadlineMs: unknown): number {
  if (deadlineMs === undefined) return askedAt + DEFAULT_DEADLINE_MS;
  if (typeof deadlineMs !== "number" || !(deadlineMs >= 0)) return askedAt;
  const deadline = askedAt + Math.floor(deadlineMs);
  return isInstant(deadline) ? deadline : askedAt;
}

/** True once the deadline has come. A stored deadline that cannot be read has. */
export function isOverdue(deadline: unknown, now: number): boolean {
  return !isInstant(deadline) || now >= deadline;
}

/** When to remind, or null when the card was asked no more than an hour before its deadline. */
export function reminderAt(askedAt: number, deadline: unknown): number | null {
  if (!isInstant(deadline)) return null;
  const at = deadline - REMINDER_LEAD_MS;
  return at > askedAt ? at : null;
}

/** When a turn goes on without the answer. Null: it waits, since its person alone is kept waiting. */
export function graceEndsAt(visibility: "private" | "shared", askedAt: number): number | null {
  return visibility === "shared" ? askedAt + GRACE_MS : null;
}

function isInstant(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= LAST_INSTANT;
}
