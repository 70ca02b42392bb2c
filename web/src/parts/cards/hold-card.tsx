import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { CardChoice, CardChoices, HoldCard } from "../../../../src/protocol/cards.ts";
import type { DecideBody } from "../../../../src/protocol/frames.ts";
import type { Chat } from "../../app/chat.ts";
import { approveReadiness, canDecline, describeEnd, mayDo } from "../../state/cards.ts";
import { formatClock, formatLeft } from "../../state/format.ts";
import { Icon } from "../icons.tsx";
import { useNow, useSurroundings } from "../use-app.ts";
import { AlwaysAllow } from "./always-allow.tsx";
import { CardArguments } from "./card-arguments.tsx";
import { CardChanges } from "./card-changes.tsx";
import { CardCopy } from "./card-copy.tsx";
import { CardDecision } from "./card-decision.tsx";
import { CardFiles } from "./card-files.tsx";
import { EditCall } from "./edit-call.tsx";
import { EditedNote } from "./edited-note.tsx";

interface HoldCardProps {
  readonly card: HoldCard;
  readonly chat: Chat;
  /** The arguments as the model wrote them, where its message is on the screen: what an edit starts from. */
  readonly args?: string;
}

/** A tool call that waits for a decision. Everything on it comes from the host; the model's words are elsewhere. */
export function HoldCardView({ card, chat, args }: HoldCardProps): JSX.Element {
  const element = useRef<HTMLElement>(null);
  const isOpen = card.status === "open";
  useLayoutEffect(() => () => passFocusOn(element.current), []);
  return (
    <section
      ref={element}
      id={`card-${card.hold}`}
      class={isOpen ? "card" : `card ended ${card.status}`}
      tabIndex={-1}
      aria-labelledby={`title-${card.hold}`}
    >
      {isOpen ? (
        <OpenCard
          card={card}
          chat={chat}
          args={args}
          onDecide={() => element.current?.focus({ preventScroll: true })}
        />
      ) : (
        <EndedCard card={card} />
      )}
    </section>
  );
}

/** A card that goes hands the focus to the row of its call, so that a keyboard is not thrown to the top of the page. */
export function passFocusOn(card: HTMLElement | null): void {
  if (card === null || !card.contains(document.activeElement)) return;
  let row = card.previousElementSibling;
  while (row !== null && !row.matches("details.tool")) row = row.previousElementSibling;
  const target = row?.querySelector("summary") ?? document.getElementById("composer");
  target?.focus({ preventScroll: true });
}

interface OpenCardProps {
  readonly card: HoldCard;
  readonly chat: Chat;
  readonly args: string | undefined;
  /** The buttons are about to go: the card itself takes the focus. */
  readonly onDecide: () => void;
}

function OpenCard({ card, chat, args, onDecide }: OpenCardProps): JSX.Element {
  const now = useNow(1_000);
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const press = chat.presses.all.value.get(card.hold);
  const may = (what: CardChoice): boolean => mayDo(chat.choices.value, card.hold, what);
  const situation = { nowMs: now, seen, isSending: press?.status === "sending" };
  const readiness = approveReadiness(card, situation);
  const decide = (decision: "approve" | "decline", note: string, always?: DecideBody["always"]): void => {
    onDecide();
    chat.decide(card, decision, note, always && { always });
  };
  return (
    <>
      <div class="card-top">
        <span class="card-kind">
          <Icon name="shield" size={18} />
          {may("approve") ? "Needs your approval" : "Waits for approval"}
        </span>
        <span class="card-left" title={`Until ${formatClock(card.deadline)}`}>
          {now < card.deadline ? `${formatLeft(card.deadline - now)} left` : "The time to decide is over"}
        </span>
      </div>
      <h3 id={`title-${card.hold}`}>{card.action}</h3>
      {card.target === null ? null : (
        <p class="card-target">
          <span class="quiet">Target</span> <bdi>{card.target}</bdi>
        </p>
      )}
      <CardArguments card={card} chat={chat} seen={seen} onSeen={(name) => setSeen(new Set(seen).add(name))} />
      {card.files === undefined ? null : <CardFiles files={card.files} />}
      <EditedNote card={card} />
      {card.copy === undefined ? null : <CardCopy copy={card.copy} />}
      <CardFacts card={card} />
      {may("approve") ? (
        <CardDecision
          readiness={readiness}
          canDecline={canDecline(card, situation)}
          problem={press?.status === "refused" ? press.message : undefined}
          onDecide={decide}
        />
      ) : (
        <NotYours told={chat.choices.value.get(card.hold)} />
      )}
      <div class="card-more">
        {args === undefined || now >= card.deadline || !may("edit") ? null : (
          <EditCall card={card} chat={chat} args={args} />
        )}
        {now < card.deadline ? <CardChanges card={card} chat={chat} /> : null}
      </div>
      {may("always") ? (
        <AlwaysAllow card={card} isReady={readiness.can} onAllow={(always) => decide("approve", "", always)} />
      ) : null}
      {may("approve") ? <NotifyOffer /> : null}
    </>
  );
}

/** In place of the buttons: who may press them. */
function NotYours({ told }: { readonly told: CardChoices | undefined }): JSX.Element {
  return <p class="card-hint">{told === undefined ? "Asking the server who may decide…" : told.why}</p>;
}

/** Who asked for it and when, and what it asks again. */
function CardFacts({ card }: { readonly card: HoldCard }): JSX.Element {
  return (
    <>
      {card.again === undefined ? null : (
        <p class="card-facts">
          Asked again
          {card.again.changes.length > 0 ? `. Changed since it was shown: ${card.again.changes.join(", ")}` : ""}.
        </p>
      )}
      <p class="card-facts">
        Asked by <bdi>{card.askedBy}</bdi>
        {card.askedOf === undefined ? null : (
          <>
            , handed to <bdi>{card.askedOf}</bdi>,
          </>
        )}{" "}
        at {formatClock(card.askedAt)} · tool <code>{card.tool}</code> ·{" "}
        <span title={card.digest}>
          fingerprint <code>{card.digest.slice(0, 8)}</code>
        </span>
      </p>
    </>
  );
}

/** Offered where it is needed, once: the browser asks only after this button. */
function NotifyOffer(): JSX.Element | null {
  const { notifier } = useSurroundings();
  if (notifier.status.value !== "askable") return null;
  return (
    <button type="button" class="text-button notify" onClick={() => void notifier.ask()}>
      <Icon name="bell" size={16} />
      Notify me when an approval waits
    </button>
  );
}

function EndedCard({ card }: { readonly card: HoldCard }): JSX.Element {
  const note = card.decision?.note;
  return (
    <>
      <Icon name={card.status === "approved" ? "check" : "ban"} size={18} />
      <div>
        <h3 id={`title-${card.hold}`}>{card.action}</h3>
        <p>{describeEnd(card)}</p>
        {note === undefined || note === "" ? null : (
          <p class="quiet">
            Note: <bdi>{note}</bdi>
          </p>
        )}
      </div>
    </>
  );
}
