import { graceEndsAt, isOverdue, reminderAt } from "./deadline.ts";
import { type HoldRecord, isAnswerable } from "./record.ts";

/** When a hold next needs attention without anybody's press: end of grace, reminder, or deadline. Null: never. */
export function nextDueAt(record: HoldRecord, now: number, visibility: Visibility): number | null {
  if (!isAnswerable(record)) return null;
  if (isOverdue(record.deadline, now)) return now;
  const reminder = record.remindedAt === null ? reminderAt(record.askedAt, record.deadline) : null;
  const next = reminder ?? record.deadline;
  const grace = record.status === "open" ? graceEndsAt(visibility, record.askedAt) : null;
  return grace !== null && now < grace ? Math.min(grace, next) : next;
}

/** The turn of an open hold waits no longer for it. */
export function isGraceOver(record: HoldRecord, now: number, visibility: Visibility): boolean {
  const grace = record.status === "open" ? graceEndsAt(visibility, record.askedAt) : null;
  return grace !== null && now >= grace;
}

type Visibility = "private" | "shared";
