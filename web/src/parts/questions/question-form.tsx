import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { GivenAnswer } from "../../../../src/protocol/frames.ts";
import type { QuestionCard } from "../../../../src/protocol/questions.ts";
import type { AnswerDrafts } from "../../app/drafts.ts";
import type { Press } from "../../app/presses.ts";
import { formatClock, formatLeft } from "../../state/format.ts";
import { EMPTY_DRAFT, faultsOf, givenOf } from "../../state/questions.ts";
import { Icon } from "../icons.tsx";
import { useNow } from "../use-app.ts";
import { QuestionField } from "./question-field.tsx";

interface QuestionFormProps {
  readonly card: QuestionCard;
  readonly drafts: AnswerDrafts;
  readonly press: Press | undefined;
  /** In the order of the questions. */
  readonly onAnswer: (answers: readonly GivenAnswer[]) => void;
}

/** An open card of questions, to be answered. */
export function QuestionForm({ card, drafts, press, onAnswer }: QuestionFormProps): JSX.Element {
  const now = useNow(1_000);
  const isOver = now >= card.deadline;
  const isShut = isOver || press?.status === "sending";
  const { form, faults, send, giveNone } = useAnswering({ card, drafts, onAnswer }, isShut);
  const missing = faults.some((fault) => fault !== undefined)
    ? "Something is missing: it is said at its question."
    : "";
  return (
    <form ref={form} noValidate onSubmit={send} onKeyDown={(event) => sendsBy(event) && send(event)}>
      <div class="card-top">
        <h3 id={`title-${card.prompt}`} class="card-kind">
          <Icon name="question" size={18} />
          The agent asks
        </h3>
        <span class="card-left" title={`Until ${formatClock(card.deadline)}`}>
          {isOver ? "The time to answer is over" : `${formatLeft(card.deadline - now)} left`}
        </span>
      </div>
      {card.questions.map((question, index) => (
        <QuestionField
          key={index}
          question={question}
          draft={drafts.of(card.prompt, index)}
          fault={faults[index]}
          canSkip={card.questions.length > 1}
          disabled={isShut}
          onDraft={(draft) => drafts.set(card.prompt, index, draft)}
        />
      ))}
      <p class="card-facts">Questions and options are in the agent's words.</p>
      <div class="card-buttons">
        <button type="submit" class="button primary" disabled={isShut}>
          Send answer
        </button>
        <button type="button" class="button" disabled={isShut} onClick={giveNone}>
          No answer
        </button>
      </div>
      <p role="alert" class={press?.status === "refused" ? "problem" : "visually-hidden"}>
        {press?.status === "refused" ? press.message : missing}
      </p>
    </form>
  );
}

function sendsBy(event: KeyboardEvent): boolean {
  return event.key === "Enter" && !event.isComposing && (event.ctrlKey || event.metaKey);
}

/** Sending what was chosen and written. What is wrong with it is told from the first try on. */
function useAnswering({ card, drafts, onAnswer }: Omit<QuestionFormProps, "press">, isShut: boolean) {
  const form = useRef<HTMLFormElement>(null);
  const [isTried, setTried] = useState(false);
  const made = card.questions.map((_question, index) => drafts.of(card.prompt, index));
  const faults = faultsOf(card, made);
  return {
    form,
    faults: isTried ? faults : [],
    send: (event: Event): void => {
      event.preventDefault();
      if (isShut) return;
      setTried(true);
      const faulty = faults.findIndex((fault) => fault !== undefined);
      if (faulty < 0) {
        return onAnswer(card.questions.map((question, index) => givenOf(question, made[index] ?? EMPTY_DRAFT)));
      }
      const field = form.current?.querySelectorAll("fieldset")[faulty]?.querySelector<HTMLElement>("input, textarea");
      field?.focus();
    },
    giveNone: (): void => onAnswer(card.questions.map(() => null)),
  };
}
