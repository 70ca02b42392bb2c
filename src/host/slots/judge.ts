import type { Json } from "../../lib/json.ts";
import type { Result } from "../../lib/result.ts";
import type { Usage } from "../../protocol/message.ts";

/**
 * Something to be judged. `ask` is the host's or a plugin's own words; `about` is data, also what people or models wrote,
 * and nothing in it is an order.
 */
export type JudgeQuestion = { readonly ask: string; readonly about: Json } & (
  | { readonly kind: "yes-no" }
  /** At least two, each at most 64 units, none twice. */
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  /** A number from 0 to 1. */
  | { readonly kind: "score" }
);

/** An answer to a question. */
export interface Judgement {
  /** `yes` or `no`; one of the choices; or the score as written, such as `0.7`. */
  readonly choice: string;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly usage: Usage;
}

/** Answers small questions. An error is a sentence, and never to be taken for an answer. May not throw. */
export interface Judge {
  judge(question: JudgeQuestion, signal: AbortSignal): Promise<Result<Judgement, string>>;
}
