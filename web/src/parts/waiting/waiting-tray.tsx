import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { WaitingCard } from "../../../../src/protocol/waiting.ts";
import { idOf } from "../../app/waiting-list.ts";
import { formatLeft } from "../../state/format.ts";
import { Icon } from "../icons.tsx";
import { PanelDialog } from "../panel-dialog.tsx";
import { AnswerHere } from "../questions/answer-here.tsx";
import { useApp, useNow } from "../use-app.ts";

/** What waits for the person, in all conversations: how many cards and questions, and the way to each. */
export function WaitingTray(): JSX.Element {
  const app = useApp();
  const [isOpen, setOpen] = useState(false);
  const { cards, more } = app.waiting;
  const count = `${cards.value.length}${more.value ? "+" : ""}`;
  const open = (): void => {
    void app.waiting.refresh();
    setOpen(true);
  };
  return (
    <>
      <button
        type="button"
        class="waiting-button"
        aria-haspopup="dialog"
        aria-label={`Waiting for you ${count}`}
        onClick={open}
      >
        <Icon name="shield" size={18} />
        <span>Waiting for you</span> {cards.value.length === 0 ? null : <span class="waiting-count">{count}</span>}
      </button>
      {isOpen ? <WaitingDialog onClose={() => setOpen(false)} /> : null}
    </>
  );
}

const keyOf = (card: WaitingCard): string => `${card.conversation} ${idOf(card)}`;

function WaitingDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const app = useApp();
  const { cards, more } = app.waiting;
  const [answering, setAnswering] = useState<string | undefined>(undefined);
  const [said, setSaid] = useState("");
  const status = useRef<HTMLParagraphElement>(null);
  // The form is gone: without this the focus would be nowhere.
  useEffect(() => void (said !== "" && status.current?.focus()), [said]);
  const isGone = answering !== undefined && !cards.value.some((card) => keyOf(card) === answering);
  useEffect(() => void (isGone && end("That question does not wait any more.")), [isGone]);
  const choose = (card: WaitingCard): void => {
    onClose();
    app.openChat(card.conversation);
    app.waiting.wanted.value = idOf(card);
  };
  const end = (words: string): void => {
    setAnswering(undefined);
    setSaid(words);
  };
  const toggle = (card: WaitingCard): void => {
    setSaid("");
    setAnswering(answering === keyOf(card) ? undefined : keyOf(card));
  };
  return (
    <PanelDialog title="Waiting for you" onClose={onClose}>
      <p ref={status} role="status" class="quiet waiting-said" tabIndex={said === "" ? undefined : -1}>
        {said}
        {cards.value.length === 0 ? " Nothing waits for you." : null}
      </p>
      <ul class="waiting-list">
        {cards.value.map((card) => (
          <li key={keyOf(card)}>
            <button type="button" class="waiting-card" onClick={() => choose(card)}>
              <CardWords card={card} />
            </button>
            {card.kind === "question" ? (
              <button
                type="button"
                class="text-button"
                aria-expanded={answering === keyOf(card)}
                aria-label={`Answer here: ${card.words}`}
                onClick={() => toggle(card)}
              >
                Answer here
              </button>
            ) : null}
            {card.kind === "question" && answering === keyOf(card) ? <AnswerHere asked={card} onEnd={end} /> : null}
          </li>
        ))}
      </ul>
      {more.value ? <p class="quiet">There are more. They are listed once these are done.</p> : null}
    </PanelDialog>
  );
}

function CardWords({ card }: { readonly card: WaitingCard }): JSX.Element {
  const now = useNow(10_000);
  const isQuestion = card.kind === "question";
  return (
    <>
      <span class="waiting-kind">
        <Icon name={isQuestion ? "question" : "shield"} size={16} />
        {isQuestion ? "The agent asks" : "Approval needed"}
      </span>
      <span class="waiting-action">
        <bdi>{isQuestion ? card.words : card.action}</bdi>
      </span>
      <span class="quiet">
        {isQuestion ? null : <code>{card.tool}</code>} in{" "}
        <bdi>{card.title === "" ? "New conversation" : card.title}</bdi>
        {card.shared ? " (shared)" : ""}, {isQuestion ? "put to" : "asked by"} <bdi>{card.askedBy}</bdi>,{" "}
        {formatLeft(card.deadline - now)} left
      </span>
    </>
  );
}
