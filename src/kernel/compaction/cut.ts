import type { ToolResultData, UserEntryData } from "../../protocol/view.ts";
import { openingOf } from "../context/derive.ts";
import { MAX_KEPT_INPUTS } from "../limits.ts";
import type { Cut } from "../state/compaction.ts";
import type { Turn } from "../state/control.ts";
import type { Entry } from "../storage/entries.ts";
import { entryTokens } from "./estimate.ts";

/** How much a cut may leave and must take, in estimated tokens. */
export interface CutSize {
  /** Newest entries that stay as they are, at most. */
  readonly keepTokens: number;
  /** Messages of the running turn that stay besides, at most. */
  readonly inputTokens: number;
  /** What was not summarised before, at least: less is not worth a summary. */
  readonly minTokens: number;
}

/**
 * What a summary is to stand for: everything but the newest entries that fit. A call is never parted from its results, and
 * one that still runs stays. Of the places that leave something, the oldest before a person's words is taken, so that
 * exchanges stay whole; where no exchange fits, the oldest between two steps. What the running turn has to answer stays as
 * it is, newest first, also where its first steps are summarised. Undefined: nothing to summarise.
 * @param entries the active transcript.
 * @param head what it begins with.
 */
export function chooseCut(
  entries: readonly Entry[],
  head: number,
  turn: Pick<Turn, "inputs" | "tools"> | null,
  size: CutSize,
): Cut | undefined {
  const opening = openingOf(entries);
  const tokens = entries.map((entry) => entryTokens(entry, opening));
  const keep = chooseInputs(entries, tokens, turn, size.inputTokens);
  const kept = new Set(keep);
  const at = chooseEnd(
    entries,
    tokens.map((count, index) => (kept.has(entries[index]?.id ?? 0) || entries[index] === opening ? 0 : count)),
    lastResults(entries, turn),
    size.keepTokens,
  );
  const through = entries[at]?.id;
  if (through === undefined) return undefined;
  let fresh = 0;
  for (const [index, entry] of entries.slice(0, at + 1).entries()) {
    if (entry !== opening && !kept.has(entry.id)) fresh += tokens[index] ?? 0;
  }
  if (fresh < Math.max(1, size.minTokens)) return undefined;
  const before = opening ? (tokens[entries.indexOf(opening)] ?? 0) : 0;
  return { head, through, keep: keep.filter((id) => id <= through), tokens: fresh + before };
}

/** The index of the last entry to summarise; -1: none. */
function chooseEnd(
  entries: readonly Entry[],
  tokens: readonly number[],
  lastResult: readonly number[],
  keepTokens: number,
): number {
  const reaches = runningMax(lastResult);
  let between = -1;
  let exchange = -1;
  let left = 0;
  for (let at = entries.length - 1; at >= 0 && left <= keepTokens; at--) {
    const isWhole = (reaches[at] ?? 0) <= at;
    if (isWhole && (left > 0 || between < 0)) {
      between = at;
      if (left > 0 && entries[at + 1]?.message?.role === "user") exchange = at;
    }
    left += tokens[at] ?? 0;
  }
  return exchange >= 0 ? exchange : between;
}

/** For each entry where its last result is; beyond the end while one of its calls still runs. */
function lastResults(entries: readonly Entry[], turn: Pick<Turn, "tools"> | null): readonly number[] {
  const places = new Map(entries.map((entry, index) => [entry.id, index]));
  const reaches = entries.map((_, index) => index);
  for (const [index, entry] of entries.entries()) {
    if (entry.message?.role !== "tool") continue;
    const of = places.get((entry.data as Partial<ToolResultData> | undefined)?.entry ?? 0);
    if (of !== undefined) reaches[of] = Math.max(reaches[of] ?? 0, index);
  }
  for (const tool of turn?.tools ?? []) {
    const of = places.get(tool.entry);
    if (of !== undefined && tool.outcome === undefined) reaches[of] = entries.length;
  }
  return reaches;
}

function runningMax(values: readonly number[]): readonly number[] {
  let max = 0;
  return values.map((value) => (max = Math.max(max, value)));
}

/** The newest of the turn's own messages that fit, oldest first. */
function chooseInputs(
  entries: readonly Entry[],
  tokens: readonly number[],
  turn: Pick<Turn, "inputs"> | null,
  inputTokens: number,
): readonly number[] {
  if (!turn) return [];
  const kept: number[] = [];
  let sum = 0;
  for (const [index, entry] of [...entries.entries()].reverse()) {
    if (!isOwnInput(entry, turn)) continue;
    sum += tokens[index] ?? 0;
    if (sum > inputTokens || kept.length === MAX_KEPT_INPUTS) break;
    kept.unshift(entry.id);
  }
  return kept;
}

/** True for what the running turn has to answer. */
export function isOwnInput(entry: Entry, turn: Pick<Turn, "inputs"> | null): boolean {
  const key = (entry.data as Partial<UserEntryData> | undefined)?.input;
  return turn !== null && entry.message?.role === "user" && key !== undefined && turn.inputs.includes(key);
}
