import { type Signal, signal } from "@preact/signals";

/** A sentence above the composer. `info` goes by itself, `problem` stays until it is closed. */
export interface Notice {
  readonly id: number;
  readonly kind: "info" | "problem";
  readonly text: string;
}

export interface Spoken {
  readonly id: number;
  readonly words: string;
}

const MAX_SPOKEN = 4;
const INFO_MS = 6_000;
const MAX_NOTICES = 3;

/** Sentences for the eye, and words for screen readers. */
export class Notices {
  readonly shown: Signal<readonly Notice[]> = signal([]);
  /** What a screen reader hears: each sentence an element of its own, so that two at one instant are both heard. */
  readonly spoken: Signal<readonly Spoken[]> = signal([]);
  readonly #after: (ms: number, call: () => void) => () => void;
  #count = 0;

  constructor(after: (ms: number, call: () => void) => () => void) {
    this.#after = after;
  }

  info(text: string): void {
    const id = this.#add("info", text);
    this.#after(INFO_MS, () => this.close(id));
  }

  problem(text: string): void {
    this.#add("problem", text);
  }

  close(id: number): void {
    this.shown.value = this.shown.value.filter((notice) => notice.id !== id);
  }

  speak(words: string): void {
    this.#count += 1;
    this.spoken.value = [...this.spoken.value, { id: this.#count, words }].slice(-MAX_SPOKEN);
  }

  #add(kind: Notice["kind"], text: string): number {
    this.#count += 1;
    const others = this.shown.value.filter((notice) => notice.text !== text);
    this.shown.value = [...others, { id: this.#count, kind, text }].slice(-MAX_NOTICES);
    return this.#count;
  }
}
