import { nearest } from "../lib/nearest.ts";
import type { GivenAnswer } from "./frames.ts";
import { MAX_OWN_ANSWER_UNITS } from "./limits.ts";
import type { ShownQuestion } from "./questions.ts";

const MAX_NAMED_UNITS = 120;

/** Why an answer does not fit its question, in words for the person; undefined: it does. The page and the server ask the same. */
export function answerFault(question: ShownQuestion, given: GivenAnswer): string | undefined {
  if (given === null) return undefined;
  const { choices = [] } = given;
  const text = ownText(given);
  if (text.length > MAX_OWN_ANSWER_UNITS) {
    return `Your words have ${text.length} characters; the limit is ${MAX_OWN_ANSWER_UNITS}. Shorten them.`;
  }
  if (question.options.length === 0) {
    if (choices.length > 0) return "This question offers nothing to choose. Write an answer.";
    return text === "" ? "Write an answer." : undefined;
  }
  return choiceFault(question, choices) ?? countFault(question, choices.length, text);
}

/** What the person wrote themself, without blanks around it. */
export function ownText(given: NonNullable<GivenAnswer>): string {
  return (given.text ?? "").trim();
}

function choiceFault({ options }: ShownQuestion, choices: readonly string[]): string | undefined {
  const labels = options.map(({ label }) => label);
  const unknown = choices.find((choice) => !labels.includes(choice));
  if (unknown !== undefined) {
    const close = nearest(unknown, labels);
    const remedy = close === undefined ? "Choose one of what is offered." : `Did you mean ${named(close)}?`;
    return `${named(unknown)} is not offered. ${remedy}`;
  }
  const twice = choices.find((choice, index) => choices.indexOf(choice) !== index);
  return twice === undefined ? undefined : `${named(twice)} is chosen twice. Choose it once.`;
}

function countFault({ multi, allowOther }: ShownQuestion, chosen: number, text: string): string | undefined {
  if (text !== "" && !allowOther) return "This question takes what it offers, not words of your own.";
  if (multi) return undefined;
  const count = chosen + (text === "" ? 0 : 1);
  if (count === 1) return undefined;
  const what = allowOther ? "one of what is offered, or write an answer" : "one of what is offered";
  return count === 0 ? `Choose ${what}.` : `This question takes one answer, not ${count}. Choose ${what}.`;
}

function named(label: string): string {
  return `"${label.length > MAX_NAMED_UNITS ? `${label.slice(0, MAX_NAMED_UNITS).toWellFormed()}…` : label}"`;
}
