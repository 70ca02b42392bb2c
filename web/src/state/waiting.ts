import type { View } from "../../../src/protocol/view.ts";
import { type Choices, mayDo, openCards } from "./cards.ts";
import { openQuestions } from "./questions.ts";

/** Something that waits for a person: a card on the page. */
export interface Waiting {
  /** Its element is `card-<id>`. */
  readonly id: string;
  readonly kind: "approval" | "question";
  readonly words: string;
}

const NOTHING: readonly Waiting[] = [];

/** Everything that waits for a person, approvals first. */
export function waitingIn(view: View): readonly Waiting[] {
  const approvals = openCards(view).map((card): Waiting => ({ id: card.hold, kind: "approval", words: card.action }));
  const questions = openQuestions(view).map(
    ({ prompt, questions }): Waiting => ({
      id: prompt,
      kind: "question",
      words: questions.map(({ text }) => text).join(" "),
    }),
  );
  return approvals.length + questions.length === 0 ? NOTHING : [...approvals, ...questions];
}

/** Of that, what this person may do something about. */
export function waitingFor(view: View, choices: Choices): readonly Waiting[] {
  const all = waitingIn(view);
  const own = all.filter(({ id, kind }) => kind === "question" || mayDo(choices, id, "approve"));
  return own.length === all.length ? all : own;
}

/** How a title, a notification or a screen reader names it. */
export const WAITING_NAMES = { approval: "Approval needed", question: "A question for you" } as const;
