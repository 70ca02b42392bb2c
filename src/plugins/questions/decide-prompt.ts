import { graceEndsAt, isOverdue, reminderAt } from "../../host/index.ts";
import { unreachable } from "../../lib/assert.ts";
import { cutText } from "../../lib/cut.ts";
import { type Answer, type Answerer, baseOf, type OpenPrompt, type PromptRecord } from "./record.ts";

type Visibility = "private" | "shared";

/** UTF-16 units of an own text that the card shows. */
const MAX_SHOWN_ANSWER_UNITS = 100;
const MAX_NAME_UNITS = 64;

/** What may happen to a card. Whether a person may answer is decided before. */
export type PromptCommand =
  | {
      readonly kind: "answer";
      readonly by: Answerer;
      readonly answers: readonly (Answer | null)[];
      readonly print: string;
    }
  /** The deadline may have come. */
  | { readonly kind: "expire" }
  /** The call was stopped. */
  | { readonly kind: "cancel" }
  /** The turn goes on without the answer; `task` waits for it. */
  | { readonly kind: "release"; readonly task: number }
  /** The reminder may be due. */
  | { readonly kind: "remind" };

export type PromptOutcome =
  | "done"
  /** The same was done before: nothing changed, nothing is wrong. */
  | "repeated"
  /** Something else ended it first; `next` says who or what, and when. */
  | "lost"
  /** Its time has not come: nothing changed. */
  | "early";

export interface PromptStep {
  readonly next: PromptRecord;
  readonly outcome: PromptOutcome;
}

/** One step of a card. The first command that ends it wins; an overdue card has expired, whatever arrives. */
export function decidePrompt(record: PromptRecord, command: PromptCommand, now: number): PromptStep {
  if (record.status !== "open") return { next: record, outcome: isRepeat(record, command) ? "repeated" : "lost" };
  if (!isOverdue(record.deadline, now)) return decideOpen(record, command, now);
  const next: PromptRecord = { ...baseOf(record), status: "expired", endedAt: now };
  return { next, outcome: command.kind === "expire" ? "done" : "lost" };
}

/** When an open card next needs attention by itself: end of grace, reminder, or deadline. */
export function nextAttention(record: OpenPrompt, visibility: Visibility, now: number): number {
  const { askedAt, deadline, remindedAt } = record;
  const next = (remindedAt === null ? reminderAt(askedAt, deadline) : null) ?? deadline;
  const grace = graceOf(record, visibility);
  return grace !== null && now < grace ? Math.min(grace, next) : next;
}

/** The turn has waited long enough: it goes on without the answer, and the card stays. */
export function isGraceOver(record: OpenPrompt, visibility: Visibility, now: number): boolean {
  const grace = graceOf(record, visibility);
  return grace !== null && now >= grace;
}

function graceOf({ task, origin, askedAt }: OpenPrompt, visibility: Visibility): number | null {
  return task === origin ? graceEndsAt(visibility, askedAt) : null;
}

function decideOpen(record: OpenPrompt, command: PromptCommand, now: number): PromptStep {
  switch (command.kind) {
    case "answer": {
      const { by, answers, print } = command;
      const kept = { principalId: by.principalId, name: cutText(by.name, MAX_NAME_UNITS) };
      const shown = answers.map(
        (answer) => answer && { ...answer, text: cutText(answer.text, MAX_SHOWN_ANSWER_UNITS) },
      );
      return { next: { ...baseOf(record), status: "answered", by: kept, at: now, print, shown }, outcome: "done" };
    }
    case "expire":
      return { next: record, outcome: "early" };
    case "cancel":
      return { next: { ...baseOf(record), status: "cancelled", endedAt: now }, outcome: "done" };
    case "release":
      return { next: { ...record, task: command.task }, outcome: "done" };
    case "remind": {
      if (record.remindedAt !== null) return { next: record, outcome: "repeated" };
      const at = reminderAt(record.askedAt, record.deadline);
      if (at === null || now < at) return { next: record, outcome: "early" };
      return { next: { ...record, remindedAt: now }, outcome: "done" };
    }
    default:
      return unreachable(command);
  }
}

function isRepeat(record: Exclude<PromptRecord, OpenPrompt>, command: PromptCommand): boolean {
  if (command.kind !== "answer" || record.status !== "answered") return false;
  return record.by.principalId === command.by.principalId && record.print === command.print;
}
