import type { Json } from "../../lib/json.ts";
import type { Result } from "../../lib/result.ts";
import type { HoldCard } from "../../protocol/cards.ts";
import type { MessageQuestion } from "../holds-host.ts";

/** UTF-16 units of a message that can be an answer: what is longer says more than yes or no. */
export const MAX_ANSWER_UNITS = 2_000;

const ABOUT_ONE =
  "A person was shown a call of a tool that waits for their yes or no (`calls`), and then sent `message`. What does the " +
  "message say? approve: it clearly agrees that exactly this call runs. decline: it clearly refuses it. other: it speaks " +
  "of something else, asks something, sets a condition, or wants something changed.";
const ABOUT_SEVERAL =
  "A person was shown calls of tools that wait for their yes or no (`calls`, by number), and then sent `message`. What " +
  "does the message say? approve N: it names call N, so that no other can be meant, and clearly agrees that exactly this " +
  "call runs. decline N: it names call N and clearly refuses it. unclear: it may be an answer, but does not name one call " +
  "alone. other: it speaks of something else, asks something, sets a condition, or wants something changed.";

/** A call that a message may be about, by the number that it was listed under. */
export interface JudgedCall {
  readonly number: number;
  readonly card: Pick<HoldCard, "tool" | "action" | "target" | "args">;
}

/** What a message says about listed calls. `unclear` decides nothing; `other` is no answer to them. */
export type MessageVerdict =
  | { readonly kind: "approve" | "decline"; readonly number: number }
  | { readonly kind: "other" }
  | { readonly kind: "unclear" };

/** What is asked of the judge: everything that people or models wrote is data. */
export function messageQuestion(message: string, calls: readonly JudgedCall[]): MessageQuestion {
  const about: Json = {
    message,
    calls: calls.map(({ number, card: { tool, action, target, args } }) => ({
      number,
      tool,
      action,
      target,
      args: Object.fromEntries(args.map(({ name, value }) => [name, value])),
    })),
  };
  const isOne = calls.length === 1;
  return { kind: "choice", ask: isOne ? ABOUT_ONE : ABOUT_SEVERAL, about, choices: choicesFor(calls) };
}

/** Reads a judgement. What failed, is unsure, or was not to be chosen decides nothing. */
export function readVerdict(
  judged: Result<{ readonly choice: string; readonly confidence: number }, string>,
  calls: readonly JudgedCall[],
  minConfidence: number,
): MessageVerdict {
  if (!judged.ok || !(judged.value.confidence >= minConfidence)) return { kind: "unclear" };
  const { choice } = judged.value;
  if (choice === "other") return { kind: "other" };
  for (const { number } of calls) {
    for (const kind of ["approve", "decline"] as const) {
      if (choice === nameOf(kind, number, calls)) return { kind, number };
    }
  }
  return { kind: "unclear" };
}

function choicesFor(calls: readonly JudgedCall[]): readonly string[] {
  const decided = calls.flatMap(({ number }) => [nameOf("approve", number, calls), nameOf("decline", number, calls)]);
  return calls.length === 1 ? [...decided, "other"] : [...decided, "unclear", "other"];
}

function nameOf(kind: "approve" | "decline", number: number, { length }: { readonly length: number }): string {
  return length === 1 ? kind : `${kind} ${number}`;
}
