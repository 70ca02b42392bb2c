import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { View } from "../../../src/protocol/view.ts";
import { carryPages, type Pages, pagesOf, prependPage } from "../../../web/src/state/pages.ts";
import { makeView, userEntry } from "./sample-view.ts";

const WINDOW_MAX = 6;
const WINDOW_KEEP = 4;
const PAGE = 3;

/** A server's transcript with its window: entries come, the front is let go, and now and then it goes back. */
class Transcript {
  active: readonly number[] = [];
  #window: readonly number[] = [];
  #next = 1;

  say(): void {
    const id = this.#next++;
    this.active = [...this.active, id];
    this.#show([...this.#window, id]);
  }

  /** Goes back to what stands `depth` entries before the end. */
  rewind(depth: number): void {
    if (this.active.length === 0) return;
    const stay = this.active.slice(0, Math.max(0, this.active.length - 1 - depth));
    const mark = this.#next++;
    const shown = this.#window.filter((id) => stay.includes(id));
    this.active = [...stay, mark];
    this.#show([...(shown.length > 0 ? shown : stay.slice(-WINDOW_KEEP)), mark]);
  }

  view(): View {
    const earlier = this.active.indexOf(this.#window[0] ?? this.active[0] ?? 0) > 0;
    return makeView({ entries: this.#window.map((id) => userEntry(id, `${id}`)), earlier });
  }

  page(before: number) {
    const older = this.active.filter((id) => id < before);
    const entries = older.slice(-PAGE).map((id) => userEntry(id, `${id}`));
    return { before, entries, earlier: older.length > PAGE };
  }

  #show(window: readonly number[]): void {
    this.#window = window.length > WINDOW_MAX ? window.slice(-WINDOW_KEEP) : window;
  }
}

describe("older pages when a conversation goes back", () => {
  it("[L-8] [L-58] whatever is said, left behind, missed or paged, what is shown is the end of what stands, without a hole", () => {
    const act = fc.oneof(
      { weight: 14, arbitrary: fc.constant({ kind: "say" as const }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("rewind" as const), depth: fc.nat(20) }) },
      { weight: 5, arbitrary: fc.constant({ kind: "page" as const }) },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(act, fc.boolean()), { maxLength: 120, size: "max" }), (script) => {
        const server = new Transcript();
        let known = server.view();
        let pages: Pages = pagesOf(known);
        for (const [what, isSeen] of script) {
          if (what.kind === "say") server.say();
          if (what.kind === "rewind") server.rewind(what.depth);
          // What was missed arrives with the next thing that is seen, as a snapshot does.
          if (!isSeen) continue;
          const next = server.view();
          pages = carryPages(pages, known, next);
          known = next;
          const front = pages.older[0] ?? known.entries[0];
          if (what.kind === "page" && front !== undefined && pages.earlier) {
            pages = prependPage(pages, known, server.page(front.id));
          }
          const shown = [...pages.older, ...known.entries].map((entry) => entry.id);
          expect(shown).toEqual(server.active.slice(server.active.length - shown.length));
          expect(pages.earlier).toBe(shown.length < server.active.length);
        }
      }),
      { numRuns: 300 },
    );
  });
});
