import { unreachable } from "../../lib/assert.ts";
import type { CallSeal } from "../bound/call-seal.ts";
import { escapeText } from "../card/escape.ts";
import type { AllowRule } from "../policy/allow-rule.ts";
import { holdDeadline, isOverdue } from "../record/deadline.ts";
import { decideHold } from "../record/decide-hold.ts";
import type { AnswerableHold, ApprovedHold, Change, EndedHold, HoldRecord } from "../record/record.ts";
import type { Described } from "../rule/describe.ts";
import type { HeldDescription } from "../rule/description.ts";
import {
  alreadySpentText,
  approvedText,
  bornExpiredText,
  declinedOutText,
  deniedText,
  pendingText,
  textForModel,
  unavailableText,
} from "../texts.ts";
import { changesSince } from "./changes-since.ts";

export type BlockCode =
  | "denied"
  | "declined"
  | "declined_out"
  | "expired"
  | "cancelled"
  | "changed"
  | "unavailable"
  | "already_spent";

export type GateDecision =
  | { readonly kind: "pass" }
  | { readonly kind: "run"; readonly hold: ApprovedHold; readonly approvedBy: string; readonly note: string }
  | { readonly kind: "allow"; readonly description: HeldDescription; readonly rule: AllowRule }
  | {
      readonly kind: "block";
      readonly code: BlockCode;
      readonly text: string;
      readonly decidedBy?: string;
      readonly next?: HoldRecord;
    }
  | { readonly kind: "park"; readonly deadline: number; readonly pendingText: string }
  | {
      readonly kind: "open";
      readonly description: HeldDescription;
      readonly deadline: number;
      readonly pendingText: string;
    };

/** What the gate knows when a call arrives, all read through at this moment. */
export interface GateFacts {
  readonly tool: string;
  /** The hold of this very task, if it has one. */
  readonly existing: HoldRecord | undefined;
  readonly described: Described;
  /** What the call is bound to as it stands now, its description included. Undefined when no rule describes it. */
  readonly bound: CallSeal | undefined;
  /** Of an approved hold: the approver could approve it now. */
  readonly approverMay: boolean;
  /** Somebody may answer a card of this call. */
  readonly hasAudience: boolean;
  /** A rule that covers the call, and whose author could approve it now. */
  readonly allowed: AllowRule | undefined;
  /** The tool was declined twice in this turn. */
  readonly declinedOut: boolean;
  readonly now: number;
}

/**
 * What becomes of a call at the gate. `pass`: nothing holds it. `run`: spend the approval in the `started` commit.
 * `allow`: somebody approved such calls in advance.
 * `block`: tell the model; commit `next` first when it is there. `park`: wait for the hold that is open. `open`: make a
 * hold, then park.
 */
export function decideGate(facts: GateFacts): GateDecision {
  const { existing, described } = facts;
  return existing === undefined ? decideNew(facts, described) : decideHeld(facts, existing);
}

function decideNew(facts: GateFacts, described: Described): GateDecision {
  switch (described.kind) {
    case "free":
      return { kind: "pass" };
    case "denied":
      return { kind: "block", code: "denied", text: deniedText(facts.tool, described.reason) };
    case "held":
      return decideFirst(facts, described.description);
    default:
      return unreachable(described);
  }
}

function decideFirst(facts: GateFacts, description: HeldDescription): GateDecision {
  const { tool, now } = facts;
  if (facts.declinedOut) return { kind: "block", code: "declined_out", text: declinedOutText(tool) };
  if (facts.allowed) return { kind: "allow", description, rule: facts.allowed };
  if (!facts.hasAudience) return { kind: "block", code: "unavailable", text: unavailableText(tool) };
  const deadline = holdDeadline(now, description.deadlineMs);
  if (isOverdue(deadline, now)) return { kind: "block", code: "expired", text: bornExpiredText(tool) };
  return { kind: "open", description, deadline, pendingText: pendingText(tool) };
}

function decideHeld(facts: GateFacts, existing: HoldRecord): GateDecision {
  switch (existing.status) {
    case "open":
    case "pending":
      return decideWaiting(facts, existing);
    case "approved":
      return decideApproved(facts, existing);
    default:
      return blockEnded(existing);
  }
}

function decideWaiting(facts: GateFacts, existing: AnswerableHold): GateDecision {
  const { next } = decideHold(existing, { kind: "expire" }, facts.now);
  if (next.status === "expired") return { ...blockEnded(next), next };
  const changes = changesSince(existing, facts.described, facts.bound);
  if (changes.length > 0) return blockChanged(facts, existing, changes);
  return { kind: "park", deadline: existing.deadline, pendingText: pendingText(existing.tool) };
}

function decideApproved(facts: GateFacts, existing: ApprovedHold): GateDecision {
  if (existing.spentAt !== null) {
    return { kind: "block", code: "already_spent", text: alreadySpentText(existing.tool) };
  }
  const changes = changesSince(existing, facts.described, facts.bound);
  if (changes.length > 0) return blockChanged(facts, existing, changes);
  if (!facts.approverMay) return blockChanged(facts, existing, ["approver"]);
  const { decision } = existing;
  return { kind: "run", hold: existing, approvedBy: escapeText(decision.by.name), note: approvedText(decision) };
}

function blockChanged(facts: GateFacts, existing: HoldRecord, changes: readonly Change[]): GateDecision {
  const { next } = decideHold(existing, { kind: "drift", changes }, facts.now);
  return { kind: "block", code: "changed", text: textForModel(next), next };
}

function blockEnded(ended: Exclude<EndedHold, ApprovedHold>): Extract<GateDecision, { kind: "block" }> {
  const block = { kind: "block", code: ended.status, text: textForModel(ended) } as const;
  return ended.status === "declined" ? { ...block, decidedBy: escapeText(ended.decision.by.name) } : block;
}
