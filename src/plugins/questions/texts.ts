import { quoteText } from "../../host/index.ts";
import type { AskedQuestion } from "./input.ts";
import type { Answer, PromptRecord } from "./record.ts";

const ON_YOUR_OWN = "Go on without it, or ask in your reply.";

/** The result of a call when its turn goes on without the answer. */
export const PENDING_TEXT =
  "The question was put and waits for its answer. Go on without it or end your turn; do not ask it again: the answer comes by itself.";

export const EXPIRED_TEXT = `Nobody answered before the deadline. ${ON_YOUR_OWN}`;

export const NOBODY_TEXT =
  "Nobody sits in this conversation who could be asked; nothing was put. Say in your answer what you need to know: your owner decides.";

/** What the model is told of the answers. @param isLate the question left its turn, so that it is named. */
export function resultText(
  questions: readonly AskedQuestion[],
  answers: readonly (Answer | null)[],
  { by, isLate }: { readonly by: string; readonly isLate: boolean },
): string {
  const who = quoteText(by);
  const [first] = questions;
  if (answers.every((answer) => answer === null)) {
    const what = questions.map(({ question }) => JSON.stringify(question)).join(", ");
    return `${isLate ? `You asked ${what}. ` : ""}${who} gave no answer. ${ON_YOUR_OWN}`;
  }
  if (questions.length === 1 && first) {
    const asked = isLate ? `You asked ${JSON.stringify(first.question)}. ` : "";
    return `${asked}${who} ${describeAnswer(first, answers[0] ?? null)}`;
  }
  const lines = questions.map(
    (question, index) =>
      `${index + 1}. ${JSON.stringify(question.question)}: ${describeAnswer(question, answers[index] ?? null)}`,
  );
  return [`${who} answered:`, ...lines].join("\n");
}

function describeAnswer({ options }: AskedQuestion, answer: Answer | null): string {
  if (answer === null) return `gave no answer. ${ON_YOUR_OWN}`;
  const chosen = answer.choices.map((choice) => JSON.stringify(options[choice]?.label ?? "")).join(", ");
  const own = JSON.stringify(answer.text);
  if (options.length === 0) return `answered in their own words: ${own}.`;
  if (chosen === "")
    return answer.text === ""
      ? "chose nothing of what was offered."
      : `chose nothing of what was offered and wrote: ${own}.`;
  return answer.text === "" ? `chose ${chosen}.` : `chose ${chosen} and wrote: ${own}.`;
}

/** What somebody reads whose answer came too late: who or what was first, and when. */
export function lateText(record: Exclude<PromptRecord, { status: "open" }>): string {
  switch (record.status) {
    case "answered":
      return `${quoteText(record.by.name)} answered this already, at ${new Date(record.at).toISOString()}.`;
    case "expired":
      return `This question expired at ${new Date(record.deadline).toISOString()}. Say what you think in a message.`;
    case "cancelled":
      return `This question was stopped at ${new Date(record.endedAt).toISOString()}. Say what you think in a message.`;
  }
}
