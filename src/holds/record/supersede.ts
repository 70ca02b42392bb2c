import { defineNamespace, type HostTx } from "../../kernel/index.ts";
import { canonicalJson } from "../../lib/canonical.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { type CallProvider, providerJson } from "../bound/bound-call.ts";
import type { AuditedHost } from "../holds-host.ts";
import { decideHold } from "./decide-hold.ts";
import { type HoldsNamespace, putRecord } from "./hold-state.ts";
import { isAnswerable } from "./record.ts";

/** How many calls were held here under a key: what says which of two is the newer one, where clocks cannot. */
export const KEYED_HOLDS = defineNamespace<{ readonly count: number }>({ name: "keyed_holds", sticky: { count: 0 } });

/** What a rule's key comes to: only calls of the same tool, brought by the same provider, can be meant. */
export function supersedeKey(provider: CallProvider, tool: string, key: string): string {
  return sha256Hex(canonicalJson([providerJson(provider), tool, key]));
}

/**
 * Inside a commit: withdraws what waits under a key, whether or not it has left its turn. An answer that was given before
 * stands. @param until the newest that may be meant, by its place among all that were held under keys.
 */
export function supersede(
  host: Pick<AuditedHost, "audit">,
  tx: HostTx,
  namespace: HoldsNamespace,
  { key, until }: { readonly key: string; readonly until: number },
): void {
  for (const record of Object.values(tx.get(namespace).records)) {
    if (record.supersede?.key !== key || !isAnswerable(record) || record.supersede.seq > until) continue;
    putRecord(host, tx, namespace, decideHold(record, { kind: "supersede" }, tx.now).next);
    tx.wake(record.task);
  }
}
