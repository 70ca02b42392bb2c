import { computed, type ReadonlySignal } from "@preact/signals";
import type { HoldCard, View } from "../../../src/protocol/view.ts";
import { cardsOf, openCards } from "../state/cards.ts";
import type { Live } from "../state/live.ts";
import type { Pages } from "../state/pages.ts";
import type { Replica } from "../state/replica.ts";
import { layOutRows, type Row, reuseRows } from "../state/rows.ts";

/** What the transcript shows, in parts that change apart: streamed text often, rows with commits, pages seldom. */
export interface Transcript {
  readonly view: ReadonlySignal<View | undefined>;
  readonly pages: ReadonlySignal<Pages>;
  readonly live: ReadonlySignal<Live>;
  readonly rows: ReadonlySignal<readonly Row[]>;
  readonly openCards: ReadonlySignal<readonly HoldCard[]>;
}

const NO_ROWS: readonly Row[] = [];
const NO_CARDS: readonly HoldCard[] = [];

export function createTranscript(replica: ReadonlySignal<Replica>): Transcript {
  const view = computed(() => replica.value.view);
  const pages = computed(() => replica.value.pages);
  const live = computed(() => replica.value.live);
  let known = NO_ROWS;
  const rows = computed(() => {
    if (view.value === undefined) return NO_ROWS;
    const entries = [...pages.value.older, ...view.value.entries];
    known = reuseRows(known, layOutRows(entries, view.value, cardsOf(view.value)));
    return known;
  });
  return {
    view,
    pages,
    live,
    rows,
    openCards: computed(() => (view.value === undefined ? NO_CARDS : openCards(view.value))),
  };
}
