import type { HostTx } from "../../kernel/index.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { BoundCall } from "../bound/bound-call.ts";
import type { AuditedHost, KnownPerson } from "../holds-host.ts";
import { type AllowWish, withAllowRule } from "../policy/allow-rule.ts";
import { mustAsk } from "../policy/constraint.ts";
import { POLICY } from "../policy/policy-state.ts";
import type { HoldRecord } from "../record/record.ts";

/**
 * Saves what a press wants to allow in advance, inside the commit that approves. What cannot be saved must decide nothing:
 * whoever allowed it for ever did not mean to allow it once.
 * @returns the sentence that refuses it.
 * @param call what would run; undefined when nobody looked, since the card was decided before.
 */
export function saveRule(
  host: AuditedHost,
  tx: HostTx,
  { always, presser }: { readonly always?: AllowWish; readonly presser: KnownPerson },
  { hold, call }: { readonly hold: HoldRecord; readonly call: BoundCall | undefined },
): Result<void, string> {
  if (!always || !call) return ok(undefined);
  const { constraints, allow } = tx.get(POLICY);
  if (mustAsk(constraints, hold.tool)) return err(CONSTRAINED);
  const by = { principalId: presser.principalId, name: presser.name };
  const saved = withAllowRule(allow, always, { hold, call, by, now: tx.now });
  if (!saved.ok) return saved;
  tx.set(POLICY, { allow: saved.value });
  host.audit.tellPolicy(tx, "rule_saved", { rule: hold.id, by: presser });
  return ok(undefined);
}

const CONSTRAINED = "A standing constraint wants every call of this tool asked about: take it away first.";
