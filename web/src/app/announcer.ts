import type { View } from "../../../src/protocol/view.ts";
import { announce, announceCards } from "../state/announce.ts";
import type { Choices } from "../state/cards.ts";

/** Says to screen readers what happens in one conversation, each thing once. */
export class Announcer {
  readonly #say: (words: string) => void;
  #view: View | undefined;
  /** What was said of the cards that wait. */
  #heard: ReadonlySet<string> = new Set();

  constructor(say: (words: string) => void) {
    this.#say = say;
  }

  /** The conversation stands so now, and this is what the person may do with its cards. */
  follow(view: View, choices: Choices): void {
    const happened = view === this.#view ? [] : announce(this.#view, view);
    const { words, heard } = announceCards(this.#heard, view, choices);
    this.#view = view;
    this.#heard = heard;
    for (const one of [...happened, ...words]) this.#say(one);
  }
}
