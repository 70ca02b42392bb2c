import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { GivenAnswer } from "../../../src/protocol/frames.ts";
import type { QuestionCard } from "../../../src/protocol/questions.ts";
import type { Chat } from "../app/chat.ts";
import { formatClock, formatLeft } from "../state/format.ts";
import { describeShown, EMPTY_DRAFT, faultsOf, givenOf } from "../state/questions.ts";
import { passFocusOn } from "./hold-card.tsx";
import { Icon } from "./icons.tsx";
import { QuestionField } from "./question-field.tsx";
import { useNow } from "./use-app.ts";

/** What the agent asks the person. The frame is the host's, the words in it are the agent's. */
export function QuestionCardView({ card, chat }: { readonly card: QuestionCard; readonly chat: Chat }): JSX.Element {
  const element = useRef<HTMLElement>(null);
  const isOpen = card.status === "open";
  useLayoutEffect(() => () => passFocusOn(element.current), []);
  return (
    <section
      ref={element}
      id={`card-${card.prompt}`}
      class={isOpen ? "card" : "card ended"}
      tabIndex={-1}
      aria-labelledby={`title-${card.prompt}`}
    >
      {isOpen ? (
        <OpenQuestions card={card} chat={chat} onSent={() => element.current?.focus({ preventScroll: true })} />
      ) : (
        <EndedQuestions card={card} />
      )}
    </section>
  );
}

interface OpenQuestionsProps {
  readonly card: QuestionCard;
  readonly chat: Chat;
  /** The fields are about to go: the card itself takes the focus. */
  readonly onSent: () => void;
}

function OpenQuestions({ card, chat, onSent }: OpenQuestionsProps): JSX.Element {
  const now = useNow(1_000);
  const press = chat.presses.all.value.get(card.prompt);
  const isOver = now >= card.deadline;
  const isShut = isOver || press?.status === "sending";
  const { form, faults, send, giveNone } = useAnswering({ card, chat, onSent }, isShut);
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
          draft={chat.drafts.of(card.prompt, index)}
          fault={faults[index]}
          canSkip={card.questions.length > 1}
          disabled={isShut}
          onDraft={(draft) => chat.drafts.set(card.prompt, index, draft)}
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
function useAnswering({ card, chat, onSent }: OpenQuestionsProps, isShut: boolean) {
  const form = useRef<HTMLFormElement>(null);
  const [isTried, setTried] = useState(false);
  const drafts = card.questions.map((_question, index) => chat.drafts.of(card.prompt, index));
  const faults = faultsOf(card, drafts);
  const put = (answers: readonly GivenAnswer[]): void => {
    onSent();
    chat.answer(card, answers);
  };
  return {
    form,
    faults: isTried ? faults : [],
    send: (event: Event): void => {
      event.preventDefault();
      if (isShut) return;
      setTried(true);
      const faulty = faults.findIndex((fault) => fault !== undefined);
      if (faulty < 0)
        return put(card.questions.map((question, index) => givenOf(question, drafts[index] ?? EMPTY_DRAFT)));
      const field = form.current?.querySelectorAll("fieldset")[faulty]?.querySelector<HTMLElement>("input, textarea");
      field?.focus();
    },
    giveNone: (): void => put(card.questions.map(() => null)),
  };
}

function EndedQuestions({ card }: { readonly card: QuestionCard }): JSX.Element {
  const { answered } = card;
  return (
    <>
      <Icon name={answered === undefined ? "ban" : "check"} size={18} />
      <div>
        <h3 id={`title-${card.prompt}`}>
          {answered === undefined ? "Nobody answered in time." : <bdi>{`Answered by ${answered.by}`}</bdi>}
        </h3>
        {card.questions.map((question, index) => (
          <p key={index}>
            <span class="quiet">
              <bdi>{question.text}</bdi>
            </span>{" "}
            {answered === undefined ? null : <bdi>{describeShown(answered.answers[index])}</bdi>}
          </p>
        ))}
      </div>
    </>
  );
}
