import type { BeforeTool, BeforeToolApi, HostTx, PendingCall } from "../../kernel/index.ts";
import type { BlockedCall } from "../audit/hold-audit.ts";
import type { AuditedHost } from "../holds-host.ts";
import type { HoldsNamespace } from "../record/hold-state.ts";
import type { Inspection } from "./inspect-call.ts";

/** The memo beside a call that the gate refused before there was a card. */
const BLOCKED = "blocked";

/** What the audit is to say of a call that is refused without a card; told when the call has its result, so that it is told once. */
export function blockUnheld(
  api: BeforeToolApi,
  { tool, actor }: PendingCall,
  { described, seal }: Pick<Inspection, "described" | "seal">,
  block: Extract<BeforeTool, { kind: "block" }>,
): BeforeTool {
  const held = described.kind === "held" ? described.description : undefined;
  const about: BlockedCall = {
    tool: tool.name,
    rule: described.kind === "denied" ? described.ruleId : (held?.ruleId ?? null),
    digest: seal?.digest ?? null,
    minTier: held?.minTier ?? null,
    speaker: actor,
    reason: block.code,
  };
  api.memo(BLOCKED, about);
  return block;
}

/** Inside the commit that gives the call its result. */
export function tellBlocked(host: AuditedHost, tx: HostTx, namespace: HoldsNamespace, task: number): void {
  const about = tx.recall(namespace, task, BLOCKED);
  if (about !== undefined) host.audit.block(tx, host.turn(), about as BlockedCall);
}
