import type { HostTx } from "../../kernel/index.ts";
import type { AuditedHost } from "../holds-host.ts";
import { type HoldsNamespace, type HoldsState, holdNamed, putRecord } from "../record/hold-state.ts";
import { type AnswerableHold, isAnswerable, type Listing } from "../record/record.ts";

/** Calls of one list: so many can be told apart in one judgement. Those beyond come when others are decided. */
const MAX_LISTED = 15;

/** A call that people have seen listed. */
export type ListedHold = AnswerableHold & { readonly unshown: { readonly listed: Listing } };

/** What a list has to hold now: calls that no card shows, oldest first. */
export function callsToList({ records }: Pick<HoldsState, "records">): readonly AnswerableHold[] {
  return Object.values(records)
    .filter(isAnswerable)
    .filter(({ unshown }) => unshown !== undefined)
    .sort((a, b) => a.askedAt - b.askedAt || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_LISTED);
}

/** Calls that were listed before a message was sent, by the network's clock. Whoever wrote it can have meant no others. */
export function listedBefore({ records }: Pick<HoldsState, "records">, sentAt: number): readonly ListedHold[] {
  return Object.values(records)
    .filter(isAnswerable)
    .filter((record): record is ListedHold => isListed(record) && record.unshown.listed.at < sentAt)
    .sort((a, b) => a.unshown.listed.number - b.unshown.listed.number);
}

/** A message with a list was shown: from now on a later one may answer what it lists. */
export function noteListed(
  host: AuditedHost,
  tx: HostTx,
  namespace: HoldsNamespace,
  { holds, reply, at }: { readonly holds: readonly string[]; readonly reply: string; readonly at: number },
): void {
  for (const [index, hold] of holds.entries()) {
    const record = holdNamed(tx.get(namespace), hold);
    if (!record?.unshown || !isAnswerable(record)) continue;
    putRecord(host, tx, namespace, { ...record, unshown: { listed: { reply, number: index + 1, at } } });
  }
}

function isListed(record: AnswerableHold): record is ListedHold {
  return record.unshown !== undefined && record.unshown.listed !== null;
}
