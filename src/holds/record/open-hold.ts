import { err, ok, type Result } from "../../lib/result.ts";
import type { BoundCall } from "../bound/bound-call.ts";
import { sealCall } from "../bound/call-seal.ts";
import type { HeldDescription } from "../rule/description.ts";
import { holdDeadline } from "./deadline.ts";
import {
  DECISION_RESERVE_BYTES,
  type HoldBase,
  type HoldPerson,
  keptPerson,
  MAX_OPEN_HOLDS,
  MAX_RECORD_BYTES,
  type OpenHold,
  recordBytes,
} from "./record.ts";

/** A held call on its way to a card. */
export interface HoldRequest {
  /** ULID of the new hold. */
  readonly id: string;
  readonly task: number;
  readonly entry: number;
  readonly index: number;
  readonly description: HeldDescription;
  readonly call: BoundCall;
  readonly speaker: HoldPerson | null;
  /** How many holds of the conversation are answerable now. */
  readonly openCount: number;
  readonly now: number;
  /** The arguments are a person's. */
  readonly edit?: HoldBase["edit"];
  readonly follows?: HoldBase["follows"];
  readonly shown?: HoldBase["shown"];
  readonly supersede?: HoldBase["supersede"];
  /** No card can show it. */
  readonly unshown?: true;
}

/** A call that cannot be held and therefore does not run; the text is for the model. */
export interface HoldRefusal {
  readonly code: "too_many_holds" | "hold_too_large";
  readonly text: string;
}

/** A fresh open hold, or why there can be none: 50 holds wait already, or the record would not fit. */
export function openHold(request: HoldRequest): Result<OpenHold, HoldRefusal> {
  if (request.openCount >= MAX_OPEN_HOLDS) {
    return err({
      code: "too_many_holds",
      text: `${request.openCount} calls wait for a decision here already, the limit is ${MAX_OPEN_HOLDS}. It did not run. Ask for decisions on those first.`,
    });
  }
  const record = newRecord(request);
  const bytes = recordBytes(record);
  const limit = MAX_RECORD_BYTES - DECISION_RESERVE_BYTES;
  if (bytes <= limit) return ok(record);
  return err({
    code: "hold_too_large",
    text: `What describes this call has ${bytes} bytes, the limit is ${limit} (${MAX_RECORD_BYTES} less ${DECISION_RESERVE_BYTES} for the decision). It did not run. Shorten its target or description.`,
  });
}

function newRecord(request: HoldRequest): OpenHold {
  const { id, task, entry, index, description, call, speaker, now, edit, follows, shown, supersede, unshown } = request;
  const { minTier, approvers, approval, ruleId, target } = call.audience;
  return {
    status: "open",
    id,
    task,
    origin: task,
    entry,
    index,
    tool: call.tool,
    ...sealCall(call),
    text: description.text,
    target,
    ruleId,
    minTier,
    approvers,
    approval,
    speaker: speaker && keptPerson(speaker),
    askedAt: now,
    deadline: holdDeadline(now, description.deadlineMs),
    ...(edit && { edit: { ...edit, by: keptPerson(edit.by) } }),
    ...(follows && { follows }),
    ...(shown !== undefined && { shown }),
    ...(supersede !== undefined && { supersede }),
    ...(unshown && { unshown: { listed: null } }),
    remindedAt: null,
  };
}
