import type { Tx } from "../commit/tx.ts";
import type { ForkPage, ForkRef } from "../ports/origin.ts";
import { SYSTEM } from "../state/kinds.ts";

/** Stores a page: the transcript stands as it stood at its last entry, as far as it was copied. */
export function placePage(tx: Tx, { entries, documents }: ForkPage): void {
  for (const entry of entries) {
    tx.putEntry(entry);
    if (entry.kind === SYSTEM) tx.control.systemEntry = entry.id;
  }
  if (documents) tx.namespaces.inherit(new Map(Object.entries(documents)));
}

/** Why a page cannot be stored: its entries do not follow what is here, or go beyond where the fork begins. */
export function findPageFault({ entries, documents }: ForkPage, { at }: ForkRef, after: number): string | undefined {
  let last = after;
  for (const { id, inherited } of entries) {
    if (!Number.isSafeInteger(id) || id <= last || id > at || inherited !== true) {
      return `it gave an entry that does not follow entry ${last}`;
    }
    last = id;
  }
  if (entries.length === 0) return "it gave an empty page";
  return (last === at) === (documents !== undefined) ? undefined : "its pages end too early or not at all";
}
