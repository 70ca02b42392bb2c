import { err, ok, type Result } from "../../lib/result.ts";
import { isOverdue } from "./deadline.ts";
import { type AnswerableHold, type HoldRecord, isAnswerable } from "./record.ts";

/** How long after it was asked a card may stay answerable at most, however often it is extended. */
export const MAX_EXTENSION_MS = 7 * 24 * 3_600_000;

/** Why a deadline stays as it is. */
export type ExtendRefusal = "ended" | "not_later" | "too_far";

/** A later deadline; an hour before it the card reminds again. The same deadline again changes nothing. */
export function extendHold(record: HoldRecord, until: number, now: number): Result<AnswerableHold, ExtendRefusal> {
  if (!isAnswerable(record) || isOverdue(record.deadline, now)) return err("ended");
  if (until === record.deadline) return ok(record);
  if (until < record.deadline) return err("not_later");
  if (until > record.askedAt + MAX_EXTENSION_MS) return err("too_far");
  return ok({ ...record, deadline: until, remindedAt: null });
}
