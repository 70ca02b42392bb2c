import {
  type BeforeTool,
  type BeforeToolApi,
  CallRefused,
  type Hooks,
  type HostTx,
  type PendingCall,
} from "../../kernel/index.ts";
import { unreachable } from "../../lib/assert.ts";
import { canonicalJson } from "../../lib/canonical.ts";
import { tierAtLeast } from "../../people/facts.ts";
import { heldCall, shownInput } from "../bound/held-call.ts";
import { findInputFault } from "../bound/input-fault.ts";
import { showLine } from "../card/show-line.ts";
import type { AuditedHost, HoldsHost } from "../holds-host.ts";
import { type AllowRule, findAllowRule } from "../policy/allow-rule.ts";
import { mustAsk } from "../policy/constraint.ts";
import { POLICY } from "../policy/policy-state.ts";
import { decidePress } from "../press/audience.ts";
import { decideHold } from "../record/decide-hold.ts";
import { isDeclinedOut } from "../record/declines.ts";
import { type HoldsNamespace, holdOfTask, putRecord, settleRecord } from "../record/hold-state.ts";
import { type HoldRecord, isAnswerable, standsAlike } from "../record/record.ts";
import { spendHold } from "../record/spend.ts";
import { belowTierText, editedText, textForModel } from "../texts.ts";
import { allowByRule } from "./allow-by-rule.ts";
import { blockUnheld, tellBlocked } from "./blocked-call.ts";
import { decideGate, type GateDecision } from "./gate.ts";
import { canBeAnswered, type Inspection, inspectCall, inspectEdited, NOTHING_BOUND } from "./inspect-call.ts";
import { openAndPark, parkUnchecked, parkUnheld, remindOrPark } from "./park-call.ts";

/** The gate: the last handler before a tool. Nothing above the line starts unless an eligible person approved that digest. */
export function gateHooks(host: AuditedHost, namespace: HoldsNamespace): Hooks {
  return {
    beforeTool: (call, api) => checkCall(host, namespace, call, api),
    detached(tx, { from, to }) {
      const record = holdOfTask(tx.get(namespace), from);
      if (!record) return;
      // One that is overdue ends here instead; the task that lives on must find it, or it would ask anew.
      const { next } = decideHold(record, { kind: "release", task: to }, tx.now);
      putRecord(host, tx, namespace, { ...next, task: to });
    },
    settled(tx, { task, code }) {
      const record = holdOfTask(tx.get(namespace), task);
      if (!record) return tellBlocked(host, tx, namespace, task);
      // A call that ends while its card is open was stopped: the card must not stay answerable.
      const cancel = { kind: "cancel", reason: code === "restored" ? code : "stopped" } as const;
      const ended = isAnswerable(record) ? decideHold(record, cancel, tx.now).next : record;
      settleRecord(host, tx, namespace, ended);
    },
    restored(tx) {
      // What was allowed in advance may have been revoked since: somebody is asked again.
      const { allow } = tx.get(POLICY);
      for (const { id } of allow) host.audit.tellPolicy(tx, "rule_revoked", { rule: id, by: null });
      if (allow.length > 0) tx.set(POLICY, { allow: [] });
    },
  };
}

async function checkCall(
  host: AuditedHost,
  namespace: HoldsNamespace,
  call: PendingCall,
  api: BeforeToolApi,
): Promise<BeforeTool> {
  for (;;) {
    const existing = holdOfTask(host.read().get(namespace), call.task);
    const asked = existing?.edit ? editedCall(host, call, existing) : call;
    const found = await findOut(host, asked, existing);
    const state = host.read().get(namespace);
    // Decided while the directory was asked: what was found out belongs to the hold as it stood before.
    if (!standsAlike(holdOfTask(state, call.task), existing)) continue;
    if (!found && existing) return parkUnchecked(host, namespace, call, existing);
    if (!found) return parkUnheld(call, Number(api.memo("unchecked", api.now())), api.now());
    const { inspection, approverMay, allowed } = found;
    const refuse = (code: string, text: string): BeforeTool => {
      const block = { kind: "block", code, text } as const;
      return existing ? block : blockUnheld(api, call, inspection, block);
    };
    if (found.fault !== undefined) return refuse("unfit_arguments", `${found.fault} It did not run.`);
    const { fault } = inspection.files;
    if (!existing && fault !== undefined) return refuse("unfit_files", `${fault} It did not run.`);
    const now = host.clock.now();
    const decision = decideGate({
      tool: call.tool.name,
      existing: holdOfTask(state, call.task),
      described: inspection.described,
      bound: inspection.seal,
      approverMay,
      hasAudience: canBeAnswered(inspection),
      allowed,
      declinedOut: isDeclinedOut(state.declines, host.turn(), call.tool.name),
      now,
    });
    if (decision.kind === "open" && host.nobodyToAsk !== undefined) return refuse("nobody_to_ask", host.nobodyToAsk);
    if (MAY_START.has(decision.kind) && !found.mayUse) return refuse("below_tier", belowTierText(call.tool.name));
    if (decision.kind === "block" && !existing) return refuse(decision.code, decision.text);
    return carryOut({ host, namespace, now }, asked, inspection, decision);
  }
}

/** The call with the arguments that a person gave it. Those that its tool would not take any more are bound to nothing. */
function editedCall(host: HoldsHost, call: PendingCall, existing: HoldRecord): PendingCall {
  return { ...call, input: heldCall(host, existing)?.input ?? null };
}
const MAY_START: ReadonlySet<GateDecision["kind"]> = new Set(["pass", "run", "allow"]);

interface Findings {
  /** Why the arguments can be neither hashed nor shown. */
  readonly fault: string | undefined;
  readonly inspection: Inspection;
  /** Of an approved hold: its approver could approve it now. */
  readonly approverMay: boolean;
  /** Of a new call: the rule that allows it, when its author could approve it now. */
  readonly allowed: AllowRule | undefined;
  /** The person whom the turn runs for is offered the tool now, whatever they were when it was called. */
  readonly mayUse: boolean;
}

/** Everything that the gate decides by, read at this moment. Undefined: directory or files cannot be read. */
async function findOut(
  host: HoldsHost,
  call: PendingCall,
  existing: HoldRecord | undefined,
): Promise<Findings | undefined> {
  const fault = existing ? undefined : findInputFault(call.input);
  const isKnown = fault !== undefined || (existing !== undefined && isOver(existing));
  if (isKnown) return { fault, inspection: UNINSPECTED, approverMay: false, allowed: undefined, mayUse: false };
  try {
    const inspection = await (existing?.edit ? inspectEdited(host, call, existing) : inspectCall(host, call));
    const approverMay = await mayStillApprove(host, existing, inspection);
    const allowed = existing ? undefined : await findStandingApproval(host, inspection);
    return { fault, inspection, approverMay, allowed, mayUse: await mayStillUse(host, call) };
  } catch (error) {
    host.report("holds.unchecked", { error: String(error) });
    return undefined;
  }
}

/** What is over stands whatever policy and directory say now. */
function isOver(record: HoldRecord): boolean {
  return !isAnswerable(record) && record.status !== "approved";
}

const UNINSPECTED: Inspection = { described: { kind: "free" }, ...NOTHING_BOUND };

/** Of an approved hold: whether its approver could approve it now. */
async function mayStillApprove(
  host: HoldsHost,
  existing: HoldRecord | undefined,
  { audience }: Inspection,
): Promise<boolean> {
  if (existing?.status !== "approved" || !audience) return false;
  const approver = await host.person(existing.decision.by.principalId);
  return approver !== undefined && decidePress(audience, approver).kind === "allowed";
}

/** The rule that allows a call, unless a constraint wants each one asked about, or its author could not approve it now. */
async function findStandingApproval(host: HoldsHost, { bound, audience }: Inspection): Promise<AllowRule | undefined> {
  const { constraints, allow } = host.read().get(POLICY);
  if (!bound || !audience || mustAsk(constraints, bound.tool)) return undefined;
  const rule = findAllowRule(allow, bound, host.clock.now());
  const author = rule && (await host.person(rule.by.principalId));
  return author && decidePress(audience, author).kind === "allowed" ? rule : undefined;
}

/** What takes more than the lowest tier to use is asked about now; else the answer may be some seconds old. */
async function mayStillUse(host: HoldsHost, { tool, actor, meta }: PendingCall): Promise<boolean> {
  const needed = host.tierOf(tool.name);
  const speaker = await host.speaker({ actor, meta }, { fresh: !tierAtLeast("member", needed) });
  return speaker !== undefined && tierAtLeast(speaker.tier, needed);
}

/** Bytes of edited arguments that are repeated to the model beside the result. */
const MAX_NOTED_INPUT_BYTES = 2_000;

function carryOut(
  { host, namespace, now }: { readonly host: AuditedHost; readonly namespace: HoldsNamespace; readonly now: number },
  call: PendingCall,
  inspection: Inspection,
  decision: GateDecision,
): BeforeTool {
  switch (decision.kind) {
    case "pass":
      return { kind: "pass" };
    case "block": {
      const { code, text, decidedBy, next } = decision;
      if (next) host.commit((tx) => putRecord(host, tx, namespace, next));
      return { kind: "block", code, text, ...(decidedBy !== undefined && { decidedBy }) };
    }
    case "run": {
      const { approvedBy, note, hold } = decision;
      const onStarted = (tx: HostTx) => spend(host, tx, namespace, call, inspection);
      const { decision: given } = hold;
      const prompt = given.message === undefined ? { prompt: hold.id } : {};
      const approval = { by: approvedBy, note, person: given.by.principalId, ...prompt };
      if (!hold.edit) return { kind: "allow", approval, onStarted };
      const edited = editedText(hold.edit.by.name, showLine(canonicalJson(call.input), MAX_NOTED_INPUT_BYTES).text);
      // As it was decided, so that the tool's schema reads it once: what comes of it is what the digest is about.
      const input = shownInput(host, hold) ?? null;
      return { kind: "allow", input, approval: { ...approval, note: `${note}\n${edited}` }, onStarted };
    }
    case "allow":
      return allowByRule({ host, namespace }, call, inspection, decision);
    case "park":
      return remindOrPark(host, namespace, call);
    case "open":
      return openAndPark({ host, namespace, now }, call, inspection, decision);
    default:
      return unreachable(decision);
  }
}

/** The approval is used up in the commit that starts the call, or the call does not start. */
function spend(
  host: AuditedHost,
  tx: HostTx,
  namespace: HoldsNamespace,
  call: PendingCall,
  { seal }: Inspection,
): void {
  const record = holdOfTask(tx.get(namespace), call.task);
  const spent = spendHold(record, { task: call.task, digest: seal?.digest ?? "" }, tx.now);
  if (spent.ok) return putRecord(host, tx, namespace, spent.value);
  const text = record ? textForModel(record) : "This call lost its approval before it started. It did not run.";
  throw new CallRefused(spent.error, text);
}
