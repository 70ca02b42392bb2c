import { type Signal, signal } from "@preact/signals";
import { type Draft, EMPTY_DRAFT } from "../state/questions.ts";

/** Answers in the making, by card. They outlive the card's element and the connection, not the page. */
export class AnswerDrafts {
  readonly all: Signal<ReadonlyMap<string, readonly Draft[]>> = signal(new Map());

  of(prompt: string, index: number): Draft {
    return this.all.value.get(prompt)?.[index] ?? EMPTY_DRAFT;
  }

  set(prompt: string, index: number, draft: Draft): void {
    const drafts = [...(this.all.value.get(prompt) ?? [])];
    for (let missing = drafts.length; missing < index; missing++) drafts.push(EMPTY_DRAFT);
    drafts[index] = draft;
    this.all.value = new Map(this.all.value).set(prompt, drafts);
  }

  /** Forgets those whose card is gone. */
  keep(isKept: (prompt: string) => boolean): void {
    const kept = new Map([...this.all.value].filter(([prompt]) => isKept(prompt)));
    if (kept.size < this.all.value.size) this.all.value = kept;
  }
}
