import { type BeforeTool, CallRefused, type HostTx, type PendingCall } from "../../kernel/index.ts";
import { renderCard } from "../card/card.ts";
import type { AuditedHost } from "../holds-host.ts";
import { graceEndsAt, reminderAt } from "../record/deadline.ts";
import { decideHold } from "../record/decide-hold.ts";
import { isGraceOver, nextDueAt } from "../record/due.ts";
import { type HoldsNamespace, holdOfTask, putRecord } from "../record/hold-state.ts";
import { newHold, refuseDuplicate } from "../record/new-hold.ts";
import { type HoldRecord, isAnswerable, standsAlike } from "../record/record.ts";
import { pendingText, uncheckedText, unlistableText, unshownText } from "../texts.ts";
import type { GateDecision } from "./gate.ts";
import type { Inspection } from "./inspect-call.ts";

/** How soon an approved call asks again when the directory cannot be read, and how seldom in the end. */
const MIN_RETRY_MS = 5_000;
const MAX_RETRY_MS = 5 * 60_000;

/** Opens a hold and parks its call, in one commit. @param now the time that the decision's deadline counts from. */
export function openAndPark(
  { host, namespace, now }: { readonly host: AuditedHost; readonly namespace: HoldsNamespace; readonly now: number },
  call: PendingCall,
  inspection: Inspection,
  { description, deadline, pendingText: pending }: Extract<GateDecision, { kind: "open" }>,
): BeforeTool {
  const id = host.ulid();
  const { listing } = host;
  const graceEnd = listing ? null : graceEndsAt(host.visibility, now);
  return {
    kind: "park",
    // Parked until it needs attention by itself: the end of the turn's patience, the reminder, or the deadline.
    deadline: Math.min(graceEnd ?? deadline, reminderAt(now, deadline) ?? deadline),
    pendingText: listing ? unshownText(call.tool.name) : pending,
    // What is listed in the reply cannot wait for an answer before it.
    ...(listing && { leaves: true }),
    onParked(tx) {
      const state = tx.get(namespace);
      if (holdOfTask(state, call.task)) return "again";
      refuseDuplicate(host, state, call, inspection.seal?.digest ?? "");
      const unshown = listing !== undefined;
      const hold = newHold({ host, namespace, tx }, call, inspection, { id, description, now, waits: true, unshown });
      if (unshown && renderCard(hold, { tool: call.tool.name, input: call.input }).truncated) {
        throw new CallRefused("too_long_to_list", unlistableText(call.tool.name));
      }
      if (call.detached) listing?.unlisted(tx);
      // Made outside of any turn, it counts for none.
      putRecord(host, tx, namespace, call.detached ? { ...hold, status: "pending", releasedAt: now } : hold);
      return undefined;
    },
  };
}

/** Waits on for the decision, in its turn as long as that is patient; an hour before the deadline the card reminds, once. */
export function remindOrPark(host: AuditedHost, namespace: HoldsNamespace, call: PendingCall): BeforeTool {
  const record = holdOfTask(host.read().get(namespace), call.task);
  if (!record || !isAnswerable(record)) throw new Error("Bug: a call waits for a hold that nobody can answer");
  const now = host.clock.now();
  const reminded = decideHold(record, { kind: "remind" }, now);
  const next = reminded.outcome.kind === "reminded" ? reminded.next : record;
  const due = nextDueAt(next, now, host.visibility) ?? record.deadline;
  const leaves = isGraceOver(record, now, host.visibility);
  return parkFor(next, { deadline: due, leaves }, namespace, (tx) => {
    if (next === record) return;
    const current = holdOfTask(tx.get(namespace), call.task) ?? record;
    putRecord(host, tx, namespace, decideHold(current, { kind: "remind" }, tx.now).next);
    tx.emit(namespace, "reminder", { hold: record.id });
    host.reminded?.(tx, record);
  });
}

function parkFor(
  record: HoldRecord,
  until: { readonly deadline: number; readonly leaves?: boolean },
  namespace: HoldsNamespace,
  also?: (tx: HostTx) => void,
): BeforeTool {
  return {
    kind: "park",
    ...until,
    pendingText: pendingText(record.tool),
    onParked(tx, task) {
      const current = holdOfTask(tx.get(namespace), task);
      // Decided while the rules were asked: look again instead of waiting for a decision that has been made.
      if (!standsAlike(current, record)) return "again";
      also?.(tx);
      return undefined;
    },
  };
}

/** Parks a held call that cannot be checked now, since the directory is away. What is open needs nobody to wait on. */
export function parkUnchecked(
  host: AuditedHost,
  namespace: HoldsNamespace,
  call: PendingCall,
  record: HoldRecord,
): BeforeTool {
  if (record.status !== "approved") return remindOrPark(host, namespace, call);
  return parkFor(record, { deadline: retryAt(record.decision.at, host.clock.now()) }, namespace);
}

/** Parks a call without a card that cannot be checked now. An answer that it waited days for must not be lost to a minute. */
export function parkUnheld({ tool }: PendingCall, since: number, now: number): BeforeTool {
  return { kind: "park", deadline: retryAt(since, now), pendingText: uncheckedText(tool.name) };
}

/** Half as long again as it has waited: an hour without a directory costs some twenty questions. */
function retryAt(since: number, now: number): number {
  const pause = Math.floor((now - since) / 2);
  return now + Math.min(MAX_RETRY_MS, Math.max(MIN_RETRY_MS, pause));
}
