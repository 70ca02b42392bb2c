import * as z from "zod";
import type { HostTx, OutboxRow } from "../../kernel/index.ts";
import type { AuditedHost } from "../holds-host.ts";
import type { HoldsNamespace } from "../record/hold-state.ts";
import { KEYED_HOLDS, supersede, supersedeKey } from "../record/supersede.ts";
import { MAX_SUPERSEDE_UNITS } from "../rule/description.ts";

/** Target of the outbox rows that withdraw calls. */
export const WITHDRAWALS = "withdrawals";

/** Calls that wait: of one tool, held under one key. */
const withdrawal = z.strictObject({
  tool: z.string().min(1).max(64),
  key: z.string().min(1).max(MAX_SUPERSEDE_UNITS),
});
type Withdrawal = z.infer<typeof withdrawal>;

/**
 * Withdraws what waits for a decision under a key, in the commit that wants it: with the rest of that commit, or not at all.
 * What is held later is not meant, and an answer that comes first stands.
 * @throws Error naming what is wrong with it.
 */
export function withdrawCalls(tx: HostTx, wanted: Withdrawal): void {
  const checked = withdrawal.safeParse(wanted);
  if (!checked.success) throw new Error(`Nothing can be withdrawn like that: ${z.prettifyError(checked.error)}`);
  const { tool, key } = checked.data;
  tx.send({
    key: `${WITHDRAWALS}:${tool}:${key}`,
    target: WITHDRAWALS,
    payload: { tool, key, until: tx.get(KEYED_HOLDS).count },
  });
}

/** Carries out a row of {@link withdrawCalls}. Again changes nothing. */
export function deliverWithdrawal(
  host: AuditedHost,
  namespace: HoldsNamespace,
  { payload }: Pick<OutboxRow, "payload">,
): void {
  const { tool, key, until } = JSON.parse(payload) as Withdrawal & { readonly until: number };
  const named = supersedeKey(host.providerOf(tool), tool, key);
  host.commit((tx) => supersede(host, tx, namespace, { key: named, until }));
}
