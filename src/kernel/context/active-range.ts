import type { Store } from "../commit/store.ts";
import type { StoragePort } from "../ports/storage.ts";
import { type Entry, readEntryRange } from "../storage/entries.ts";
import { readActiveAt } from "./active-at.ts";

/** Characters of cached entries above which the cache is dropped when the conversation rests. */
const MAX_RESTING_UNITS = 4 * 1024 * 1024;

/** The entries of the active transcript, read once and kept up to date by the commits that append. */
export class ActiveRange {
  readonly #storage: StoragePort;
  readonly #store: Store;
  #entries: Entry[] | undefined;
  #units = 0;

  constructor(storage: StoragePort, store: Store) {
    this.#storage = storage;
    this.#store = store;
    store.onCommit(({ appended, replaced }) => {
      if (replaced.size > 0 || appended.some((entry) => entry.head !== undefined)) this.#entries = undefined;
      else if (this.#entries) this.#add(this.#entries, appended);
    });
  }

  /** The active entries up to and including `cutoff`, as they were when that was the newest. */
  upTo(cutoff: number): readonly Entry[] {
    if (cutoff < this.#store.control.head) return readActiveAt(this.#storage, cutoff);
    const entries = this.#entries ?? this.#load();
    return entries.at(-1)?.id === cutoff ? entries : entries.filter((entry) => entry.id <= cutoff);
  }

  /** Called when the conversation rests: a large cache goes, a small one makes the next turn fast. */
  rest(): void {
    if (this.#units > MAX_RESTING_UNITS) this.#entries = undefined;
  }

  #load(): readonly Entry[] {
    const { kept, activeFrom, lastEntry } = this.#store.control;
    // Kept only once all of it was read: a read that fails must not leave a part that passes for the whole.
    const entries = [...kept, [activeFrom, lastEntry] as const].flatMap(([from, to]) =>
      readEntryRange(this.#storage, from, to),
    );
    this.#entries = [];
    this.#units = 0;
    this.#add(this.#entries, entries);
    return this.#entries;
  }

  #add(entries: Entry[], more: readonly Entry[]): void {
    for (const entry of more) {
      entries.push(entry);
      this.#units += JSON.stringify(entry).length;
    }
  }
}
