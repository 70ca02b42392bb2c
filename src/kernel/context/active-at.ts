import type { StoragePort } from "../ports/storage.ts";
import type { Spans } from "../state/spans.ts";
import { spansUpTo } from "../state/spans.ts";
import { type Entry, readEntryRange, readHead } from "../storage/entries.ts";

/** The stretches of the active transcript as it was when an entry was the newest, up to that entry. */
export function activeSpansAt(storage: StoragePort, cutoff: number): Spans {
  const head = readHead(storage, cutoff);
  const kept = head?.head ?? [];
  return spansUpTo([...kept, [head?.id ?? 1, cutoff]], cutoff);
}

/** The active transcript as it was when an entry was the newest. */
export function readActiveAt(storage: StoragePort, cutoff: number): readonly Entry[] {
  return activeSpansAt(storage, cutoff).flatMap(([from, to]) => readEntryRange(storage, from, to));
}
