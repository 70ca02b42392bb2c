import type { KnownPerson } from "../../holds/index.ts";
import type { HostRead, HostTx } from "../../kernel/index.ts";
import type { Result } from "../../lib/result.ts";
import type { AnswerBody, ErrorCode } from "../../protocol/frames.ts";
import type { QuestionCard } from "../../protocol/questions.ts";

/** A person's answer on its way to the plugin that asked. */
export interface PromptAnswer extends AnswerBody {
  /** Who answers, as the directory knows them at this moment. */
  readonly by: KnownPerson;
  /** Why this person may not answer what was put to a principal; undefined: they may. */
  refusalFor(speaker: string): string | undefined;
}

/** The conversation that a prompt stands in. */
export interface PromptConversation {
  read(): HostRead;
  commit<T>(builder: (tx: HostTx) => T): T;
}

export interface AnswerRefused {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What takes answers to a plugin's prompts. */
export interface Prompts {
  /** Whether a call of this tool puts a card: where none can be shown it is refused. */
  asks(tool: string): boolean;
  /** Whether it ever asked here: lists may still show a card of it. */
  hasAsked(read: HostRead): boolean;
  /** Its cards whose calls have no result yet, as people see them. */
  cards(read: HostRead): readonly QuestionCard[];
  /** Undefined: none of its prompts has this name. What was asked is to be answered in one commit, by the first who may. */
  answer(
    conversation: PromptConversation,
    answer: PromptAnswer,
  ): Result<Record<string, never>, AnswerRefused> | undefined;
}
