import { utf8Bytes } from "../../lib/bytes.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { answerFault, ownText } from "../../protocol/answer-fault.ts";
import type { GivenAnswer } from "../../protocol/frames.ts";
import { showQuestion } from "./card.ts";
import type { AskedQuestion } from "./input.ts";
import type { Answer } from "./record.ts";

/** Bytes of an own text as JSON: what can be kept beside a call. */
export const MAX_OWN_BYTES = 15_000;

/** What a client sent as answers to these questions, or the sentence that refuses it. */
export function readAnswers(
  questions: readonly AskedQuestion[],
  given: readonly GivenAnswer[],
): Result<readonly (Answer | null)[], string> {
  if (given.length !== questions.length) {
    return err(
      `The card has ${questions.length} questions, and ${given.length} answers came. Send one for each, in order; null for none.`,
    );
  }
  const answers: (Answer | null)[] = [];
  for (const [index, question] of questions.entries()) {
    const read = readAnswer(question, given[index] ?? null);
    if (!read.ok) return err(questions.length === 1 ? read.error : `Question ${index + 1}: ${read.error}`);
    answers.push(read.value);
  }
  return ok(answers);
}

function readAnswer(question: AskedQuestion, given: GivenAnswer): Result<Answer | null, string> {
  const shown = showQuestion(question);
  const fault = answerFault(shown, given);
  if (fault !== undefined) return err(fault);
  if (given === null) return ok(null);
  const text = ownText(given);
  const bytes = utf8Bytes(JSON.stringify(text));
  if (bytes > MAX_OWN_BYTES) {
    return err(
      `Your words take ${bytes} bytes, the limit is ${MAX_OWN_BYTES}: leave out characters that cannot be seen.`,
    );
  }
  const choices = (given.choices ?? []).map((choice) => shown.options.findIndex(({ label }) => label === choice));
  return ok({ choices: choices.toSorted((a, b) => a - b), text });
}
