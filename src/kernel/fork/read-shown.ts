import { MAX_FORK_PAGE_ENTRIES, MAX_FORK_PAGE_UNITS } from "../limits.ts";
import type { StoragePort } from "../ports/storage.ts";
import { SYSTEM } from "../state/kinds.ts";
import { outsideOf, type Spans } from "../state/spans.ts";
import { type Entry, readEntryRange, weighEntries } from "../storage/entries.ts";

/** The stretches of everything that was said up to an entry and not left behind. */
export function shownSpans(left: Spans, through: number): Spans {
  return outsideOf(left, through);
}

/**
 * The next page of some stretches: as much as one may hold, and at least an entry as long as there is one. Without prompts,
 * and without what requests were made of.
 * @returns `next` what to ask for after; absent: this was the last.
 */
export function readStretches(
  storage: StoragePort,
  spans: Spans,
  after: number,
): { readonly entries: readonly Entry[]; readonly next?: number } {
  const entries: Entry[] = [];
  let units = 0;
  let count = 0;
  for (const [start, end] of spans) {
    const from = Math.max(start, after + 1);
    if (from > end) continue;
    for (const weighed of weighEntries(storage, from, end, MAX_FORK_PAGE_ENTRIES - count)) {
      if (count > 0 && units + weighed.units > MAX_FORK_PAGE_UNITS) return { entries, next: weighed.id - 1 };
      count++;
      units += weighed.units;
      entries.push(
        ...readEntryRange(storage, weighed.id, weighed.id)
          .filter(({ kind }) => kind !== SYSTEM)
          .map(bare),
      );
      if (count === MAX_FORK_PAGE_ENTRIES) return { entries, next: weighed.id };
    }
  }
  return { entries };
}

function bare({ request: _notToldOf, tools: _thePrompts, ...entry }: Entry): Entry {
  return entry;
}
