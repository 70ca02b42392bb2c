import type { Store } from "../commit/store.ts";
import type { StoragePort } from "../ports/storage.ts";
import { type Entry, readEntryRange } from "../storage/entries.ts";

/** Bytes of cached entries above which the cache is dropped when the conversation rests. */
const MAX_RESTING_BYTES = 4 * 1024 * 1024;

/** The entries of the active transcript, read once and kept up to date by the commits that append. */
export class ActiveRange {
  readonly #storage: StoragePort;
  readonly #store: Store;
  #entries: Entry[] | undefined;

  constructor(storage: StoragePort, store: Store) {
    this.#storage = storage;
    this.#store = store;
    store.onCommit((appended) => this.#entries?.push(...appended));
  }

  /** Entries from the active start up to and including `cutoff`. */
  upTo(cutoff: number): readonly Entry[] {
    const { activeFrom, lastEntry } = this.#store.control;
    this.#entries ??= readEntryRange(this.#storage, activeFrom, lastEntry);
    const entries = this.#entries;
    return entries.at(-1)?.id === cutoff ? entries : entries.filter((entry) => entry.id <= cutoff);
  }

  /** Called when the conversation rests: a large cache goes, a small one makes the next turn fast. */
  rest(): void {
    if (!this.#entries) return;
    const bytes = this.#entries.reduce((sum, entry) => sum + JSON.stringify(entry).length, 0);
    if (bytes > MAX_RESTING_BYTES) this.#entries = undefined;
  }
}
