import type { BoundCall } from "../../src/holds/bound/bound-call.ts";
import { type HoldRequest, openHold } from "../../src/holds/record/open-hold.ts";
import type { ApprovedHold, DeclinedHold, OpenHold } from "../../src/holds/record/record.ts";
import type { HeldDescription } from "../../src/holds/rule/description.ts";

/** The instant at which test holds are asked. */
export const T0 = Date.UTC(2026, 10, 1, 12, 0, 0);
export const HOUR = 3_600_000;
export const ANNA = { principalId: "p_anna", name: "Anna" };
export const BERT = { principalId: "p_bert", name: "Bert" };

export function makeCall(changes: Partial<BoundCall> = {}): BoundCall {
  return {
    conversation: "web:00000000-0000-4000-8000-000000000001",
    provider: { kind: "plugin", name: "webhook" },
    tool: "send_webhook",
    version: "1",
    schemaHash: "a".repeat(64),
    input: { target: "build", body: { ref: "main" } },
    speaker: ANNA.principalId,
    files: [],
    audience: { minTier: "member", approvers: null, approval: null, ruleId: "webhook", target: "the build server" },
    ...changes,
  };
}

export function makeDescription(changes: Partial<HeldDescription> = {}): HeldDescription {
  return {
    ruleId: "webhook",
    text: "POST JSON to the build server",
    target: "the build server",
    deadlineMs: undefined,
    minTier: "member",
    approvers: null,
    approval: null,
    copy: null,
    supersede: null,
    files: [],
    ...changes,
  };
}

export function makeRequest(changes: Partial<HoldRequest> = {}): HoldRequest {
  return {
    id: "01k9000000000000000000000a",
    task: 7,
    entry: 12,
    index: 0,
    description: makeDescription(),
    call: makeCall(),
    speaker: ANNA,
    openCount: 0,
    now: T0,
    ...changes,
  };
}

export function makeHold(changes: Partial<HoldRequest> = {}): OpenHold {
  const opened = openHold(makeRequest(changes));
  if (!opened.ok) throw new Error(opened.error.text);
  return opened.value;
}

export function makeApproved(changes: Partial<HoldRequest> = {}): ApprovedHold {
  const { remindedAt: _reminded, ...base } = makeHold(changes);
  return { ...base, status: "approved", decision: { by: ANNA, at: T0 + 1_000 }, spentAt: null };
}

export function makeDeclined(note?: string): DeclinedHold {
  const { remindedAt: _reminded, ...base } = makeHold();
  const decision = { by: ANNA, at: T0 + 1_000 };
  return { ...base, status: "declined", decision: note === undefined ? decision : { ...decision, note } };
}
