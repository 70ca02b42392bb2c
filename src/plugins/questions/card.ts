import { escapeText } from "../../host/index.ts";
import type { QuestionCard, ShownAnswer, ShownQuestion } from "../../protocol/questions.ts";
import type { AskedQuestion } from "./input.ts";
import type { Answer, PromptRecord } from "./record.ts";

/** The card of a record; none for what was stopped. The words are the model's: every one of them is escaped. */
export function cardOf(record: PromptRecord): readonly QuestionCard[] {
  const { id, task, speaker, askedAt, deadline, questions, status } = record;
  if (status === "cancelled") return [];
  const card = { prompt: id, task, speaker, askedAt, deadline, questions: questions.map(showQuestion), status };
  if (status !== "answered") return [card];
  const answers = record.shown.map((answer, index) => showAnswer(questions[index], answer));
  return [{ ...card, answered: { by: escapeText(record.by.name), at: record.at, answers } }];
}

/** A question as a card shows it. Line breaks stay: a question may have paragraphs, and nothing on the card could be mistaken for one. */
export function showQuestion({ question, options, multi, allow_other: allowOther }: AskedQuestion): ShownQuestion {
  const shown = options.map(({ label, description }) => ({
    label: escapeText(label),
    ...(description !== undefined && description !== "" && { description: escapeText(description) }),
  }));
  return { text: question.split("\n").map(escapeText).join("\n"), options: shown, multi, allowOther };
}

function showAnswer(question: AskedQuestion | undefined, answer: Answer | null): ShownAnswer | null {
  if (answer === null) return null;
  const choices = answer.choices.map((choice) => escapeText(question?.options[choice]?.label ?? ""));
  return { choices, ...(answer.text !== "" && { text: escapeText(answer.text) }) };
}
