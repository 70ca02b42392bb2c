import { type BeforeTool, CallRefused, type Hooks, type HostTx, type PendingCall } from "../kernel/index.ts";
import { unreachable } from "../lib/assert.ts";
import { decidePress } from "./audience.ts";
import { reminderAt } from "./deadline.ts";
import { decideHold } from "./decide-hold.ts";
import { isDeclinedOut } from "./declines.ts";
import { nextDueAt } from "./due.ts";
import { decideGate, type GateDecision } from "./gate.ts";
import { countOpen, type HoldsNamespace, holdOfTask, putRecord, settleRecord } from "./hold-state.ts";
import type { HoldsHost } from "./holds-host.ts";
import { canBeAnswered, type Inspection, inspectCall } from "./inspect-call.ts";
import { openHold } from "./open-hold.ts";
import { type HoldRecord, isAnswerable } from "./record.ts";
import { spendHold } from "./spend.ts";
import { pendingText, textForModel } from "./texts.ts";

/** How soon a held call asks again when the directory cannot be read. */
const DIRECTORY_RETRY_MS = 5_000;

/** The gate: the last handler before a tool. Nothing above the line starts unless an eligible person approved that digest. */
export function gateHooks(host: HoldsHost, namespace: HoldsNamespace): Hooks {
  return {
    beforeTool: (call) => checkCall(host, namespace, call),
    detached(tx, { from, to }) {
      const record = holdOfTask(tx.get(namespace), from);
      if (!record) return;
      // One that is overdue ends here instead; the task that lives on must find it, or it would ask anew.
      const { next } = decideHold(record, { kind: "release", task: to }, tx.now);
      putRecord(tx, namespace, { ...next, task: to });
    },
    settled(tx, { task }) {
      const record = holdOfTask(tx.get(namespace), task);
      if (!record) return;
      // A call that ends while its card is open was stopped: the card must not stay answerable.
      const ended = isAnswerable(record) ? decideHold(record, { kind: "cancel" }, tx.now).next : record;
      settleRecord(tx, namespace, ended);
    },
  };
}

async function checkCall(host: HoldsHost, namespace: HoldsNamespace, call: PendingCall): Promise<BeforeTool> {
  for (;;) {
    const existing = holdOfTask(host.read().get(namespace), call.task);
    let inspection: Inspection;
    let approverMay: boolean;
    try {
      inspection = existing && isOver(existing) ? UNINSPECTED : await inspectCall(host, call);
      approverMay = await mayStillApprove(host, existing, inspection);
    } catch (error) {
      if (!existing) throw error;
      host.report("directory.unavailable", { error: String(error) });
      return parkFor(existing, host.clock.now() + DIRECTORY_RETRY_MS, namespace);
    }
    const state = host.read().get(namespace);
    // Decided while the directory was asked: what was found out belongs to the hold as it stood before.
    if (holdOfTask(state, call.task)?.status !== existing?.status) continue;
    const decision = decideGate({
      tool: call.tool.name,
      existing,
      described: inspection.described,
      bound: inspection.seal,
      approverMay,
      hasAudience: canBeAnswered(inspection),
      declinedOut: isDeclinedOut(state.declines, host.turn(), call.tool.name),
      now: host.clock.now(),
    });
    return carryOut(host, namespace, call, inspection, decision);
  }
}

/** What is over stands whatever policy and directory say now. */
function isOver(record: HoldRecord): boolean {
  return !isAnswerable(record) && record.status !== "approved";
}

const UNINSPECTED: Inspection = {
  described: { kind: "free" },
  bound: undefined,
  seal: undefined,
  speaker: undefined,
  audience: undefined,
};

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

function carryOut(
  host: HoldsHost,
  namespace: HoldsNamespace,
  call: PendingCall,
  inspection: Inspection,
  decision: GateDecision,
): BeforeTool {
  switch (decision.kind) {
    case "pass":
      return { kind: "pass" };
    case "block": {
      const { code, text, decidedBy, next } = decision;
      if (next) host.commit((tx) => putRecord(tx, namespace, next));
      return { kind: "block", code, text, ...(decidedBy !== undefined && { decidedBy }) };
    }
    case "run": {
      const { approvedBy, note } = decision;
      const onStarted = (tx: HostTx) => spend(tx, namespace, call, inspection);
      return { kind: "allow", approval: { by: approvedBy, note }, onStarted };
    }
    case "park":
      return remindOrPark(host, namespace, call);
    case "open":
      return openAndPark(host, namespace, call, inspection, decision);
    default:
      return unreachable(decision);
  }
}

/** The approval is used up in the commit that starts the call, or the call does not start. */
function spend(tx: HostTx, namespace: HoldsNamespace, call: PendingCall, { seal }: Inspection): void {
  const record = holdOfTask(tx.get(namespace), call.task);
  const spent = spendHold(record, { task: call.task, digest: seal?.digest ?? "" }, tx.now);
  if (spent.ok) return putRecord(tx, namespace, spent.value);
  const text = record ? textForModel(record) : "This call lost its approval before it started. It did not run.";
  throw new CallRefused(spent.error, text);
}

function openAndPark(
  host: HoldsHost,
  namespace: HoldsNamespace,
  call: PendingCall,
  { bound, speaker }: Inspection,
  { description, deadline, pendingText: pending }: Extract<GateDecision, { kind: "open" }>,
): BeforeTool {
  if (!bound) throw new Error("Bug: a call to be held is not bound to anything");
  const { task, entry, index } = call;
  const id = host.ulid();
  const now = host.clock.now();
  const by = speaker ? { principalId: speaker.principalId, name: speaker.name } : null;
  return {
    kind: "park",
    // Parked until it needs attention by itself, which is the reminder first.
    deadline: reminderAt(now, deadline) ?? deadline,
    pendingText: pending,
    onParked(tx) {
      const state = tx.get(namespace);
      if (holdOfTask(state, task)) return "again";
      const request = { id, task, entry, index, description, call: bound, speaker: by, now };
      const opened = openHold({ ...request, openCount: countOpen(state) });
      if (!opened.ok) throw new CallRefused(opened.error.code, opened.error.text);
      putRecord(tx, namespace, opened.value);
      host.opened(tx);
      return undefined;
    },
  };
}

/** Waits on for the decision; an hour before the deadline the card reminds, once. */
function remindOrPark(host: HoldsHost, namespace: HoldsNamespace, call: PendingCall): BeforeTool {
  const record = holdOfTask(host.read().get(namespace), call.task);
  if (!record || !isAnswerable(record)) throw new Error("Bug: a call waits for a hold that nobody can answer");
  const now = host.clock.now();
  const reminded = decideHold(record, { kind: "remind" }, now);
  const next = reminded.outcome.kind === "reminded" ? reminded.next : record;
  const due = nextDueAt(next, now) ?? record.deadline;
  return parkFor(next, due, namespace, (tx) => {
    if (next === record) return;
    putRecord(tx, namespace, next);
    tx.emit(namespace, "reminder", { hold: record.id });
  });
}

function parkFor(
  record: HoldRecord,
  deadline: number,
  namespace: HoldsNamespace,
  also?: (tx: HostTx) => void,
): BeforeTool {
  return {
    kind: "park",
    deadline,
    pendingText: pendingText(record.tool),
    onParked(tx, task) {
      const current = holdOfTask(tx.get(namespace), task);
      // Decided while the rules were asked: look again instead of waiting for a decision that has been made.
      if (current?.status !== record.status) return "again";
      also?.(tx);
      return undefined;
    },
  };
}
