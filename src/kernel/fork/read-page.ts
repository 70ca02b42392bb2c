import { activeSpansAt } from "../context/active-at.ts";
import { MAX_FORK_PAGE_ENTRIES, MAX_FORK_PAGE_UNITS } from "../limits.ts";
import type { ForkPage } from "../ports/origin.ts";
import type { StoragePort } from "../ports/storage.ts";
import type { Spans } from "../state/spans.ts";
import { type Entry, readEntryRange, weighEntries } from "../storage/entries.ts";
import { readVersionsAt } from "../storage/namespaces.ts";

/** What a fork asks for: what follows an entry (0: nothing yet), of what it begins with. */
export interface ForkPageRequest {
  readonly at: number;
  readonly after: number;
}

/** A page of what a fork at this entry begins with. Entries change by being erased alone, so asked again it is the same, or less. */
export function readForkPage(storage: StoragePort, at: Entry, after: number): ForkPage {
  const spans = activeSpansAt(storage, at.id);
  const entries = chooseSpans(storage, spans, after).flatMap(([from, to]) => readEntryRange(storage, from, to));
  const copies = entries.map(inheritedEntry);
  if (entries.at(-1)?.id !== at.id) return { entries: copies };
  return { entries: copies, documents: Object.fromEntries(readVersionsAt(storage, at.rev)) };
}

/** The stretches of the next page: as much as one may hold, and always something. */
function chooseSpans(storage: StoragePort, spans: Spans, after: number): Spans {
  const chosen: (readonly [number, number])[] = [];
  let count = 0;
  let units = 0;
  for (const [start, end] of spans) {
    if (end <= after) continue;
    const from = Math.max(start, after + 1);
    let to = from - 1;
    for (const entry of weighEntries(storage, from, end, MAX_FORK_PAGE_ENTRIES - count)) {
      if (count > 0 && units + entry.units > MAX_FORK_PAGE_UNITS) return withChosen(chosen, from, to);
      count++;
      units += entry.units;
      to = entry.id;
    }
    chosen.push([from, to]);
    if (count === MAX_FORK_PAGE_ENTRIES) return chosen;
  }
  return chosen;
}

function withChosen(chosen: Spans, from: number, to: number): Spans {
  return to < from ? chosen : [...chosen, [from, to]];
}

/** What its request was made of does not come along, so nothing may claim that it can be made again. */
function inheritedEntry({ request: _notCopied, ...entry }: Entry): Entry {
  return { ...entry, rev: 0, inherited: true };
}
