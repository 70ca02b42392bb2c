import type { Json } from "../../lib/json.ts";
import type { CompactionReason, UserEntryData } from "../../protocol/view.ts";
import type { Tx } from "../commit/tx.ts";
import { openingOf } from "../context/derive.ts";
import type { Services } from "../run/services.ts";
import { type CompactionInput, type Cut, liveCompaction, storedCompaction } from "../state/compaction.ts";
import { importOf } from "../state/importing.ts";
import { COMPACTION } from "../state/kinds.ts";
import type { Entry } from "../storage/entries.ts";
import { chooseCut, isOwnInput } from "./cut.ts";
import { entryTokens } from "./estimate.ts";
import { cutSize, readConfig } from "./limits.ts";

/**
 * What asking for a compaction came to. `nothing`: there is nothing older to summarise. `busy`: one is being made, or what a
 * fork begins with is still being copied.
 */
export type CompactOutcome = "started" | "nothing" | "busy";

/** Begins a compaction that somebody asked for; it belongs to no turn. */
export function compactNow(services: Services, tx: Tx): CompactOutcome {
  if (liveCompaction(tx.control) || importOf(tx.control)) return "busy";
  return beginCompaction(services, tx, { reason: "manual", window: undefined }) === undefined ? "nothing" : "started";
}

/** A compaction that is wanted. `window`: tokens of the model's window, as far as known. `owner`: the generation that waits for it. */
export interface Demand {
  readonly reason: CompactionReason;
  readonly window: number | undefined;
  readonly owner?: number;
}

/** Begins a compaction inside a commit and returns its task; undefined when there is nothing to summarise. */
export function beginCompaction(services: Services, tx: Tx, { reason, window, owner }: Demand): number | undefined {
  const entries = activeEntries(services, tx);
  const { head, turn } = tx.control;
  const all = tokensOf(entries, () => true);
  const own = tokensOf(entries, (entry) => isOwnInput(entry, turn));
  const cut = chooseCut(entries, head, turn, cutSize(reason, readConfig(services.store), window, { all, own }));
  if (!cut) return undefined;
  const checkpoint = { phase: "prepare", reason, attempt: 0, part: 1, parts: 1, cut } as const;
  const input = { reason, ...speakerOf(tx, entries) } satisfies CompactionInput;
  const task = tx.createTask({
    kind: COMPACTION,
    input,
    checkpoint: storedCompaction(checkpoint),
    ...(owner !== undefined && { owner }),
  });
  tx.emit({ type: "compaction.started", task, reason });
  return task;
}

function tokensOf(entries: readonly Entry[], isCounted: (entry: Entry) => boolean): number {
  const opening = openingOf(entries);
  return entries.reduce((sum, entry) => sum + (isCounted(entry) ? entryTokens(entry, opening) : 0), 0);
}

/** The active transcript as this commit sees it. Not where the commit itself began it anew. */
export function activeEntries({ active, store }: Services, tx: Tx): readonly Entry[] {
  const committed = active.upTo(store.control.lastEntry);
  return tx.appended.length === 0 ? committed : [...committed, ...tx.appended];
}

/** What a cut's summary stands for: also what the transcript began with, wherever that is stored. */
export function entriesOf({ active, store }: Services, { through }: Cut): readonly Entry[] {
  const entries = active.upTo(store.control.lastEntry);
  const opening = openingOf(entries);
  return entries.filter((entry) => entry.id <= through || entry === opening);
}

/** Whose settings count: those of the turn's speaker, else of whoever spoke last. */
function speakerOf(tx: Tx, entries: readonly Entry[]): { readonly actor: string; readonly meta: Json } {
  const { turn } = tx.control;
  if (turn) return { actor: turn.actor, meta: turn.meta };
  const said = entries.findLast((entry) => (entry.data as Partial<UserEntryData> | undefined)?.input !== undefined);
  const { input = "", actor = "" } = (said?.data ?? {}) as Partial<UserEntryData>;
  return { actor, meta: tx.input(input)?.meta ?? null };
}
