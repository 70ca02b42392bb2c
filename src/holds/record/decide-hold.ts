import { unreachable } from "../../lib/assert.ts";
import { isOverdue, reminderAt } from "./deadline.ts";
import {
  AFTER_DECISION_RESERVE_BYTES,
  type AnswerableHold,
  baseOf,
  type CancelReason,
  type Change,
  type Decision,
  type HoldPerson,
  type HoldRecord,
  isAnswerable,
  keptPerson,
  MAX_RECORD_BYTES,
  recordBytes,
  type UnavailableReason,
} from "./record.ts";

/** What may happen to a hold. Whether a presser may answer is decided before, by the audience. */
export type HoldCommand =
  /** A person answers; `digest` repeats what their card showed. */
  | Press
  /** The deadline may have come. */
  | { readonly kind: "expire" }
  /** The turn or the task was stopped, or ended because the conversation was restored from a backup. */
  | { readonly kind: "cancel"; readonly reason?: Extract<CancelReason, "stopped" | "restored"> }
  /** The plugin withdraws its call. */
  | { readonly kind: "supersede" }
  /** Somebody who could have confirmed a listed call spoke of something else. */
  | { readonly kind: "pass_over" }
  /** A person edited the arguments: `successor` shows them. `digest` repeats what their card showed. */
  | { readonly kind: "edit"; readonly digest: string; readonly successor: string }
  /** What would run differs from what was shown, or may not run any more. */
  | { readonly kind: "drift"; readonly changes: readonly Change[] }
  /** Nobody can be asked. */
  | { readonly kind: "unavailable"; readonly reason: UnavailableReason }
  /** The turn goes on without the answer; `task` will run the call. */
  | { readonly kind: "release"; readonly task: number }
  /** The reminder may be due. */
  | { readonly kind: "remind" };

export interface Press {
  readonly kind: "approve" | "decline";
  readonly by: HoldPerson;
  readonly digest: string;
  readonly note?: string;
  /** Answered by a message: its request key. */
  readonly message?: string;
}

export type HoldOutcome =
  /** This command ended the hold. */
  | { readonly kind: "ended" }
  /** The hold moved to the release task. */
  | { readonly kind: "released" }
  | { readonly kind: "reminded" }
  /** The same was done before: nothing changed, nothing is wrong. */
  | { readonly kind: "repeated" }
  /** Something else ended the hold first; `next` says who or what, and when. */
  | { readonly kind: "lost" }
  /** The press named another digest than the hold's: nothing changed. */
  | { readonly kind: "stale" }
  /** Deadline or reminder has not come: nothing changed. */
  | { readonly kind: "early" }
  /** The note does not fit into the record by so many bytes: nothing changed. */
  | { readonly kind: "too_large"; readonly excessBytes: number };

export interface HoldStep {
  readonly next: HoldRecord;
  readonly outcome: HoldOutcome;
}

/**
 * One step of a hold. The first command that ends it wins; an overdue hold has expired, whatever arrives. Only an
 * approval can be undone, by drift, and only until it is spent.
 */
export function decideHold(record: HoldRecord, command: HoldCommand, now: number): HoldStep {
  if (!isAnswerable(record)) return decideEnded(record, command, now);
  if (!isOverdue(record.deadline, now)) return decideAnswerable(record, command, now);
  const next: HoldRecord = { ...baseOf(record), status: "expired", endedAt: now };
  return step(next, command.kind === "expire" ? "ended" : "lost");
}

function decideAnswerable(record: AnswerableHold, command: HoldCommand, now: number): HoldStep {
  const base = baseOf(record);
  switch (command.kind) {
    case "approve":
    case "decline":
      return press(record, command, now);
    case "expire":
      return step(record, "early");
    case "cancel":
      return end({ ...base, status: "cancelled", endedAt: now, reason: command.reason ?? "stopped" });
    case "supersede":
      return end({ ...base, status: "cancelled", endedAt: now, reason: "superseded" satisfies CancelReason });
    case "pass_over":
      return end({ ...base, status: "cancelled", endedAt: now, reason: "passed_over" satisfies CancelReason });
    case "edit":
      return command.digest === record.digest
        ? end({ ...base, status: "cancelled", endedAt: now, reason: "edited", successor: command.successor })
        : step(record, "stale");
    case "drift":
      return end({ ...base, status: "changed", endedAt: now, changes: command.changes });
    case "unavailable":
      return end({ ...base, status: "unavailable", endedAt: now, reason: command.reason });
    case "release":
      return release(record, command.task, now);
    case "remind":
      return remind(record, now);
    default:
      return unreachable(command);
  }
}

function press(record: AnswerableHold, command: Press, now: number): HoldStep {
  if (command.digest !== record.digest) return step(record, "stale");
  const note = command.note === undefined || command.note === "" ? {} : { note: command.note };
  const { message } = command;
  const decision: Decision = {
    by: keptPerson(command.by),
    at: now,
    ...note,
    ...(message !== undefined && { message }),
  };
  const next: HoldRecord =
    command.kind === "approve"
      ? { ...baseOf(record), status: "approved", decision, spentAt: null }
      : { ...baseOf(record), status: "declined", decision };
  const excessBytes = recordBytes(next) - (MAX_RECORD_BYTES - AFTER_DECISION_RESERVE_BYTES);
  return excessBytes > 0 ? { next: record, outcome: { kind: "too_large", excessBytes } } : end(next);
}

function release(record: AnswerableHold, task: number, now: number): HoldStep {
  if (record.task === task) return step(record, "repeated");
  return step({ ...record, status: "pending", task, releasedAt: now }, "released");
}

function remind(record: AnswerableHold, now: number): HoldStep {
  if (record.remindedAt !== null) return step(record, "repeated");
  const at = reminderAt(record.askedAt, record.deadline);
  return at === null || now < at ? step(record, "early") : step({ ...record, remindedAt: now }, "reminded");
}

function decideEnded(record: HoldRecord, command: HoldCommand, now: number): HoldStep {
  if (record.status === "approved" && record.spentAt === null && command.kind === "drift") {
    const { decision } = record;
    return end({ ...baseOf(record), status: "changed", endedAt: now, changes: command.changes, decision });
  }
  return step(record, isRepeat(record, command) ? "repeated" : "lost");
}

function isRepeat(record: HoldRecord, command: HoldCommand): boolean {
  switch (command.kind) {
    case "approve":
    case "decline":
      return (
        record.status === (command.kind === "approve" ? "approved" : "declined") &&
        record.decision.by.principalId === command.by.principalId &&
        record.digest === command.digest
      );
    case "expire":
      return record.status === "expired";
    case "cancel":
      return record.status === "cancelled" && record.reason === (command.reason ?? "stopped");
    case "supersede":
      return record.status === "cancelled" && record.reason === "superseded";
    case "pass_over":
      return record.status === "cancelled" && record.reason === "passed_over";
    case "drift":
      return record.status === "changed";
    case "unavailable":
      return record.status === "unavailable";
    case "edit":
    case "release":
    case "remind":
      return false;
    default:
      return unreachable(command);
  }
}

function end(next: HoldRecord): HoldStep {
  return step(next, "ended");
}

function step(next: HoldRecord, kind: Exclude<HoldOutcome["kind"], "too_large">): HoldStep {
  return { next, outcome: { kind } };
}
