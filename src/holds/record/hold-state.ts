import { defineNamespace, type HostTx, type Namespace } from "../../kernel/index.ts";
import type { Json } from "../../lib/json.ts";
import type { EndedHoldRef, HoldCard } from "../../protocol/cards.ts";
import type { Doer } from "../audit/hold-audit.ts";
import type { AuditedHost } from "../holds-host.ts";
import { type Declines, NO_DECLINES } from "./declines.ts";
import { type HoldRecord, isAnswerable, mayBeAskedAgain } from "./record.ts";

/** Settled holds that are remembered, so that a late press gets a true answer. */
const MAX_SETTLED = 10;

/** The holds of one conversation. */
export type HoldsState = {
  readonly records: { readonly [hold: string]: HoldRecord };
  /** Holds whose call has its result, oldest first: not shown any more. */
  readonly settled: readonly string[];
  readonly declines: Declines;
};

export type HoldsNamespace = Namespace<HoldsState>;

/** Declares the namespace. @param cardOf renders a record's card from its stored call. */
export function holdsNamespace(cardOf: (record: HoldRecord) => HoldCard): HoldsNamespace {
  return defineNamespace<HoldsState>({
    name: "holds",
    sticky: { records: {}, settled: [], declines: NO_DECLINES },
    view: (state) => ({
      cards: shownRecords(state).map(cardOf) as unknown as Json,
      again: endedUnanswered(state) as unknown as Json,
    }),
  });
}

/** Records whose card is shown, in the order of their calls: those that wait, then the decided ones without a result yet. */
function shownRecords(state: HoldsState): readonly HoldRecord[] {
  const live = Object.values(state.records)
    .filter((record) => !state.settled.includes(record.id))
    .sort((a, b) => a.entry - b.entry || a.index - b.index);
  return [...live.filter(isAnswerable), ...live.filter((record) => !isAnswerable(record))];
}

/** What may be asked again. */
function endedUnanswered({ records, settled }: HoldsState): readonly EndedHoldRef[] {
  return settled.flatMap((hold) => {
    const record = records[hold];
    if (!record || !mayBeAskedAgain(record)) return [];
    const { entry, index, status } = record;
    return [{ hold, entry, index, status: status === "changed" ? status : "expired" }];
  });
}

/** The hold of a task whose call has no result yet. */
export function holdOfTask(state: HoldsState, task: number): HoldRecord | undefined {
  return Object.values(state.records).find((record) => record.task === task && !state.settled.includes(record.id));
}

/** The hold of a name that a client sent: only what was stored under it, never a member that every object has. */
export function holdNamed(state: HoldsState, name: string): HoldRecord | undefined {
  return Object.hasOwn(state.records, name) ? state.records[name] : undefined;
}

export function countOpen(state: HoldsState): number {
  return Object.values(state.records).filter(isAnswerable).length;
}

/** The one way to change a record: what it changes is told in the audit. `by`: the person who did it. */
export function putRecord(
  { audit }: Pick<AuditedHost, "audit">,
  tx: HostTx,
  namespace: HoldsNamespace,
  record: HoldRecord,
  by?: Doer,
): void {
  const { records } = tx.get(namespace);
  audit.tell(tx, records[record.id], record, by);
  tx.set(namespace, { records: { ...records, [record.id]: record } });
}

/** The call of a hold has its result: the hold is kept for late presses only, and the oldest of those go. */
export function settleRecord(
  { audit }: Pick<AuditedHost, "audit">,
  tx: HostTx,
  namespace: HoldsNamespace,
  record: HoldRecord,
): void {
  const state = tx.get(namespace);
  audit.tell(tx, state.records[record.id], record);
  const settled = [...state.settled, record.id];
  const gone = new Set(settled.splice(0, Math.max(0, settled.length - MAX_SETTLED)));
  const records = Object.fromEntries(Object.entries(state.records).filter(([id]) => !gone.has(id)));
  tx.set(namespace, { records: { ...records, [record.id]: record }, settled });
}
