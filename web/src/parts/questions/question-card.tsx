import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { QuestionCard } from "../../../../src/protocol/questions.ts";
import type { Chat } from "../../app/chat.ts";
import { describeShown } from "../../state/questions.ts";
import { passFocusOn } from "../cards/hold-card.tsx";
import { Icon } from "../icons.tsx";
import { QuestionForm } from "./question-form.tsx";

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
        <QuestionForm
          card={card}
          drafts={chat.drafts}
          press={chat.presses.all.value.get(card.prompt)}
          onAnswer={(answers) => {
            // The fields are about to go.
            element.current?.focus({ preventScroll: true });
            chat.answer(card, answers);
          }}
        />
      ) : (
        <EndedQuestions card={card} />
      )}
    </section>
  );
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
