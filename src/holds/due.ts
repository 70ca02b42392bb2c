import { isOverdue, reminderAt } from "./deadline.ts";
import { type HoldRecord, isAnswerable } from "./record.ts";

/** When a hold next needs attention without anybody's press: its reminder, else its deadline. Null: never. */
export function nextDueAt(record: HoldRecord, now: number): number | null {
  if (!isAnswerable(record)) return null;
  if (isOverdue(record.deadline, now)) return now;
  const reminder = record.remindedAt === null ? reminderAt(record.askedAt, record.deadline) : null;
  return reminder ?? record.deadline;
}
