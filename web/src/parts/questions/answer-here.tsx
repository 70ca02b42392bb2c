import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { GivenAnswer } from "../../../../src/protocol/frames.ts";
import { AnswerDrafts } from "../../app/drafts.ts";
import type { Press } from "../../app/presses.ts";
import type { WaitingQuestion } from "../../app/waiting-list.ts";
import { openQuestions } from "../../state/questions.ts";
import { Problem } from "../problem.tsx";
import { useApp } from "../use-app.ts";
import { useLoaded } from "../use-loaded.ts";
import { QuestionForm } from "./question-form.tsx";

interface AnswerHereProps {
  readonly asked: WaitingQuestion;
  /** It waits no more: answered here, or meanwhile. */
  readonly onEnd: (words: string) => void;
}

/** A question of another conversation, as it stands there, to be answered without going there. */
export function AnswerHere({ asked, onEnd }: AnswerHereProps): JSX.Element {
  const { ports, waiting } = useApp();
  const { value, problem } = useLoaded(() => ports.rest.snapshot(asked.conversation));
  const [drafts] = useState(() => new AnswerDrafts());
  const [press, setPress] = useState<Press | undefined>(undefined);
  if (problem !== undefined) return <Problem words={problem} />;
  if (value === undefined) return <p class="quiet">Reading the question…</p>;
  const card = openQuestions(value.view).find(({ prompt }) => prompt === asked.prompt);
  if (card === undefined) return <p class="quiet">This question does not wait any more.</p>;
  const answer = async (answers: readonly GivenAnswer[]): Promise<void> => {
    setPress({ status: "sending" });
    const reply = await ports.rest.answer(asked.conversation, { prompt: asked.prompt, answers: [...answers] });
    if (!reply.ok) return setPress({ status: "refused", message: reply.error.message });
    waiting.drop(asked);
    onEnd("Your answer was sent.");
  };
  return (
    <div class="card">
      <QuestionForm card={card} drafts={drafts} press={press} onAnswer={(answers) => void answer(answers)} />
    </div>
  );
}
