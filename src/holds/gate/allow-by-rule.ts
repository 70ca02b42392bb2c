import { type BeforeTool, CallRefused, type HostTx, type PendingCall } from "../../kernel/index.ts";
import { must } from "../../lib/assert.ts";
import { escapeText } from "../card/escape.ts";
import type { AuditedHost } from "../holds-host.ts";
import { findAllowRule, withUse } from "../policy/allow-rule.ts";
import { mustAsk } from "../policy/constraint.ts";
import { POLICY } from "../policy/policy-state.ts";
import { type HoldsNamespace, putRecord } from "../record/hold-state.ts";
import { newHold } from "../record/new-hold.ts";
import type { ApprovedHold } from "../record/record.ts";
import { approvedText, revokedText } from "../texts.ts";
import type { GateDecision } from "./gate.ts";
import type { Inspection } from "./inspect-call.ts";

/**
 * Lets a call run that somebody approved in advance. The commit that starts it looks once more whether the rule stands,
 * counts its use, and keeps a hold that is decided and spent, so that the audit and the card tell of it like of any other.
 */
export function allowByRule(
  { host, namespace }: { readonly host: AuditedHost; readonly namespace: HoldsNamespace },
  call: PendingCall,
  inspection: Inspection,
  { description, rule }: Extract<GateDecision, { kind: "allow" }>,
): BeforeTool {
  const shown = must(inspection.bound, "a held call is bound to something");
  const id = host.ulid();
  const approval = { by: escapeText(rule.by.name), note: approvedText({ by: rule.by, at: rule.at, rule: rule.id }) };
  const onStarted = (tx: HostTx) => {
    const { allow, constraints } = tx.get(POLICY);
    const stands = findAllowRule(allow, shown, tx.now)?.id === rule.id && !mustAsk(constraints, call.tool.name);
    if (!stands) throw new CallRefused("revoked", revokedText(call.tool.name));
    const hold = newHold({ host, namespace, tx }, call, inspection, { id, description, now: tx.now, waits: false });
    const { remindedAt: _never, ...base } = hold;
    const decision = { by: rule.by, at: tx.now, rule: rule.id };
    const spent: ApprovedHold = { ...base, status: "approved", decision, spentAt: tx.now };
    putRecord(host, tx, namespace, spent);
    tx.set(POLICY, { allow: withUse(allow, rule.id, tx.now) });
  };
  return { kind: "allow", approval, onStarted };
}
