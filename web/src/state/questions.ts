import { answerFault } from "../../../src/protocol/answer-fault.ts";
import type { GivenAnswer } from "../../../src/protocol/frames.ts";
import type { QuestionCard, QuestionsView, ShownAnswer, ShownQuestion } from "../../../src/protocol/questions.ts";
import type { View } from "../../../src/protocol/view.ts";

const NO_QUESTIONS: readonly QuestionCard[] = [];

/** The cards that ask: open ones first, then answered ones whose result is not placed yet. */
export function questionsOf(view: View): readonly QuestionCard[] {
  const questions = view.plugins.questions as unknown as Partial<QuestionsView> | undefined;
  return questions?.cards ?? NO_QUESTIONS;
}

export function openQuestions(view: View): readonly QuestionCard[] {
  return questionsOf(view).filter(({ status }) => status === "open");
}

/** What a person has chosen and written in answer to one question, before it is sent. */
export interface Draft {
  readonly choices: readonly string[];
  /** An answer of their own stands beside or instead of what is offered. */
  readonly other: boolean;
  readonly text: string;
  /** The person gives no answer to this question. */
  readonly none: boolean;
}

export const EMPTY_DRAFT: Draft = { choices: [], other: false, text: "", none: false };

/** A label was chosen or unchosen. One of several that exclude one another takes the place of the others. */
export function withChoice(question: ShownQuestion, draft: Draft, label: string, isChosen: boolean): Draft {
  if (!question.multi) return { ...draft, choices: isChosen ? [label] : [], other: false, none: false };
  const others = draft.choices.filter((choice) => choice !== label);
  return { ...draft, choices: isChosen ? [...others, label] : others, none: false };
}

/** The person's own words were chosen or unchosen. */
export function withOther(question: ShownQuestion, draft: Draft, isChosen: boolean): Draft {
  return { ...draft, other: isChosen, choices: question.multi ? draft.choices : [], none: false };
}

/** The draft as it is sent. */
export function givenOf(question: ShownQuestion, { choices, other, text, none }: Draft): GivenAnswer {
  if (none) return null;
  if (question.options.length === 0) return { text };
  return { choices: [...choices], ...(other && { text }) };
}

/** What is wrong with each answer; undefined: nothing. The server asks the same. */
export function faultsOf(card: QuestionCard, drafts: readonly Draft[]): readonly (string | undefined)[] {
  return card.questions.map((question, index) => {
    const draft = drafts[index] ?? EMPTY_DRAFT;
    const isEmptyOther = draft.other && draft.text.trim() === "" && !draft.none;
    return isEmptyOther
      ? "Write your own answer, or choose something else."
      : answerFault(question, givenOf(question, draft));
  });
}

/** An answer in a line. */
export function describeShown(answer: ShownAnswer | null | undefined): string {
  if (answer === null || answer === undefined) return "No answer";
  const said = [...answer.choices, ...(answer.text === undefined ? [] : [`“${answer.text}”`])];
  return said.length === 0 ? "Nothing" : said.join(", ");
}

const QUESTION_TOOLS: ReadonlySet<string> = new Set(["ask_user", "ask_questions"]);

/** A call of this tool asks the person something. */
export function asks(tool: string): boolean {
  return QUESTION_TOOLS.has(tool);
}

/** What a call asks, in a few words, from its raw input; undefined where that cannot be read. */
export function askedIn(args: string): string | undefined {
  let input: { readonly question?: unknown; readonly questions?: unknown } | null;
  try {
    input = JSON.parse(args) as typeof input;
  } catch {
    return undefined;
  }
  const all: readonly unknown[] = Array.isArray(input?.questions) ? input.questions : [input];
  const texts = all.flatMap((one) => {
    const text = (one as { readonly question?: unknown } | null)?.question;
    return typeof text === "string" ? [text] : [];
  });
  return texts.length === 0 ? undefined : texts.join(" · ");
}
