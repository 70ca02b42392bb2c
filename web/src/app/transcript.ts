import { computed, type ReadonlySignal } from "@preact/signals";
import type { View } from "../../../src/protocol/view.ts";
import { type Choices, cardsOf } from "../state/cards.ts";
import type { Live } from "../state/live.ts";
import type { Pages } from "../state/pages.ts";
import { questionsOf } from "../state/questions.ts";
import type { Replica } from "../state/replica.ts";
import { whyNotBack } from "../state/rest-point.ts";
import { layOutRows, type Row, reuseRows } from "../state/rows.ts";
import { type Waiting, waitingFor } from "../state/waiting.ts";

/** What the transcript shows, in parts that change apart: streamed text often, rows with commits, pages seldom. */
export interface Transcript {
  readonly view: ReadonlySignal<View | undefined>;
  readonly pages: ReadonlySignal<Pages>;
  readonly live: ReadonlySignal<Live>;
  readonly rows: ReadonlySignal<readonly Row[]>;
  /** Cards that wait for this person, and not for somebody else. */
  readonly waiting: ReadonlySignal<readonly Waiting[]>;
  readonly pins: ReadonlySignal<ReadonlySet<number>>;
  /** Why the conversation cannot go back now; undefined when it can. */
  readonly whyNotBack: ReadonlySignal<string | undefined>;
}

const NO_ROWS: readonly Row[] = [];
const NOTHING: readonly Waiting[] = [];
const NO_PINS: readonly number[] = [];
const NOT_LOADED = "The conversation is still loading.";

export function createTranscript(replica: ReadonlySignal<Replica>, choices: ReadonlySignal<Choices>): Transcript {
  const view = computed(() => replica.value.view);
  const pages = computed(() => replica.value.pages);
  const live = computed(() => replica.value.live);
  let known = NO_ROWS;
  const rows = computed(() => {
    if (view.value === undefined) return NO_ROWS;
    const entries = [...pages.value.older, ...view.value.entries];
    known = reuseRows(known, layOutRows(entries, view.value, cardsOf(view.value), questionsOf(view.value)));
    return known;
  });
  // Taken apart, so that a commit that changes no pin gives the same set.
  const pinned = computed(() => view.value?.pins ?? NO_PINS);
  return {
    view,
    pages,
    live,
    rows,
    pins: computed(() => new Set(pinned.value)),
    whyNotBack: computed(() => (view.value === undefined ? NOT_LOADED : whyNotBack(view.value))),
    waiting: computed(() => (view.value === undefined ? NOTHING : waitingFor(view.value, choices.value))),
  };
}
