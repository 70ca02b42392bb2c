import type { View, ViewEntry } from "../../../src/protocol/view.ts";

/** Entries before the view's window, oldest first, and whether the server holds more before them. */
export interface Pages {
  readonly older: readonly ViewEntry[];
  readonly earlier: boolean;
}

export function pagesOf(view: View): Pages {
  return { older: [], earlier: view.earlier };
}

/**
 * Carries the older entries over to a new window: what left its front is kept before it. Where entries between may be
 * missing, the older ones are dropped rather than joined wrongly.
 */
export function carryPages(pages: Pages, previous: View, next: View): Pages {
  const first = next.entries[0];
  const last = previous.entries.at(-1);
  if (first === undefined || last === undefined || first.id > last.id) return pagesOf(next);
  const earlier = pages.older.length > 0 ? pages.earlier : previous.earlier;
  const left = previous.entries.filter((entry) => entry.id < first.id);
  const kept = pages.older.filter((entry) => entry.id < first.id);
  if (left.length === 0 && kept.length === pages.older.length) {
    return pages.older.length > 0 ? pages : pagesOf(next);
  }
  const older = [...kept, ...left];
  return older.length > 0 ? { older, earlier } : pagesOf(next);
}

/** Puts a page before the older entries; one that was not asked for from here, or comes twice, changes nothing. */
export function prependPage(
  pages: Pages,
  view: View,
  page: { readonly before: number; readonly entries: readonly ViewEntry[]; readonly earlier: boolean },
): Pages {
  const front = pages.older[0] ?? view.entries[0];
  if (front === undefined || page.before !== front.id) return pages;
  const entries = page.entries.filter((entry) => entry.id < front.id);
  return { older: [...entries, ...pages.older], earlier: page.earlier };
}
