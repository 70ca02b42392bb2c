import { err, ok, type Result } from "../../lib/result.ts";
import type { BoundCall, HeldFile } from "../bound/bound-call.ts";
import type { HeldDescription } from "../rule/description.ts";
import { decideHold, type HoldStep } from "./decide-hold.ts";
import { type HoldRefusal, openHold } from "./open-hold.ts";
import { type AnswerableHold, type HoldPerson, type HoldRecord, isAnswerable } from "./record.ts";

/** An edit of a card: what would run instead, and who says so. */
export interface HoldEdit {
  /** ULID of the hold that shows the edit. */
  readonly id: string;
  /** The entry that holds the edited arguments. */
  readonly entry: number;
  readonly by: HoldPerson;
  /** Repeats what the editor's card showed. */
  readonly digest: string;
  readonly description: HeldDescription;
  readonly call: BoundCall;
  /** What the edited call names. */
  readonly files: readonly HeldFile[];
  /** Under what a newer call withdraws the edited one. */
  readonly supersede?: string;
  /** The editor may approve it as edited: then the same commit does. */
  readonly approval: { readonly note?: string } | null;
  /** How many holds of the conversation are answerable now, the edited one included. */
  readonly openCount: number;
}

/** Both holds after an edit. */
export interface EditStep {
  readonly first: HoldStep;
  /** The other hold as it opens, then as it is approved. Empty: the first step ended nothing, and there is none. */
  readonly second: readonly HoldRecord[];
}

/** An edit that does not come to anything: its record would not fit. Nothing was decided. */
export type EditRefusal = HoldRefusal | { readonly code: "note_too_large"; readonly excessBytes: number };

/**
 * Edits a hold: it ends, and another one, with a digest of its own, stands for the edited call in its place: same task,
 * same time to decide. Approved at once where the editor may.
 */
export function editHold(record: HoldRecord, edit: HoldEdit, now: number): Result<EditStep, EditRefusal> {
  const first = decideHold(record, { kind: "edit", digest: edit.digest, successor: edit.id }, now);
  if (first.outcome.kind !== "ended" || !isAnswerable(record)) return ok({ first, second: [] });
  const opened = openEdited(record, edit, now);
  if (!opened.ok) return opened;
  if (edit.approval === null) return ok({ first, second: [opened.value] });
  const { digest } = opened.value;
  const approved = decideHold(opened.value, { kind: "approve", by: edit.by, digest, ...edit.approval }, now);
  const { outcome, next } = approved;
  if (outcome.kind === "too_large") return err({ code: "note_too_large", excessBytes: outcome.excessBytes });
  return ok({ first, second: [opened.value, next] });
}

function openEdited(record: AnswerableHold, edit: HoldEdit, now: number): Result<AnswerableHold, HoldRefusal> {
  const { task, entry, index, speaker, shown, origin, askedAt, deadline, remindedAt } = record;
  const { id, description, call, by, supersede } = edit;
  const opened = openHold({
    ...{ id, task, entry, index, description, call, speaker, now },
    openCount: edit.openCount - 1,
    edit: { entry: edit.entry, by },
    ...(shown !== undefined && { shown }),
    ...(supersede !== undefined && { supersede: { key: supersede, seq: record.supersede?.seq ?? 0 } }),
  });
  if (!opened.ok) return opened;
  const kept = { ...opened.value, origin, askedAt, deadline, remindedAt };
  return ok(record.status === "pending" ? { ...kept, status: "pending", releasedAt: record.releasedAt } : kept);
}
