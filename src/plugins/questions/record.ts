import type { AskedQuestion } from "./input.ts";

/** Whoever answered. The name is decoration. */
export type Answerer = { readonly principalId: string; readonly name: string };

/** What was answered to one question: indices of options in rising order, and the person's own words. */
export type Answer = { readonly choices: readonly number[]; readonly text: string };

type PromptBase = {
  readonly id: string;
  /** The task that waits. Another than `origin` once the call has left its turn. */
  readonly task: number;
  readonly origin: number;
  /** The principal whom it is put to. */
  readonly speaker: string;
  readonly askedAt: number;
  readonly deadline: number;
  /** None any more once the call has its result. */
  readonly questions: readonly AskedQuestion[];
};

export type OpenPrompt = PromptBase & { readonly status: "open"; readonly remindedAt: number | null };
export type AnsweredPrompt = PromptBase & {
  readonly status: "answered";
  readonly by: Answerer;
  readonly at: number;
  /** Hex SHA-256 of the answers: a repeat is known by it. */
  readonly print: string;
  /** As the card shows it: own texts cut. Whole they stand beside the call. */
  readonly shown: readonly (Answer | null)[];
};
export type EndedPrompt = PromptBase & { readonly status: "expired" | "cancelled"; readonly endedAt: number };

/** One card by where it stands. Plain JSON. */
export type PromptRecord = OpenPrompt | AnsweredPrompt | EndedPrompt;

/** The part of a record that no status adds to. */
export function baseOf({ id, task, origin, speaker, askedAt, deadline, questions }: PromptRecord): PromptBase {
  return { id, task, origin, speaker, askedAt, deadline, questions };
}
