import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WaitingCard } from "../../../src/protocol/audit.ts";
import { formatLeft } from "../state/format.ts";
import { Icon } from "./icons.tsx";
import { PanelDialog } from "./panel-dialog.tsx";
import { useApp, useNow } from "./use-app.ts";

/** What waits for the person, in all conversations: how many cards, and the way to each. */
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

function WaitingDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const app = useApp();
  const { cards, more } = app.waiting;
  const choose = (card: WaitingCard): void => {
    onClose();
    app.openChat(card.conversation);
    app.waiting.wanted.value = card.hold;
  };
  return (
    <PanelDialog title="Waiting for you" onClose={onClose}>
      {cards.value.length === 0 ? <p class="quiet">Nothing waits for a decision of yours.</p> : null}
      <ul class="waiting-list">
        {cards.value.map((card) => (
          <li key={`${card.conversation} ${card.hold}`}>
            <button type="button" class="waiting-card" onClick={() => choose(card)}>
              <CardWords card={card} />
            </button>
          </li>
        ))}
      </ul>
      {more.value ? <p class="quiet">There are more. They are listed once these are decided.</p> : null}
    </PanelDialog>
  );
}

function CardWords({ card }: { readonly card: WaitingCard }): JSX.Element {
  const now = useNow(10_000);
  return (
    <>
      <span class="waiting-action">
        <bdi>{card.action}</bdi>
      </span>
      <span class="quiet">
        <code>{card.tool}</code> in <bdi>{card.title === "" ? "New conversation" : card.title}</bdi>
        {card.shared ? " (shared)" : ""}, asked by <bdi>{card.askedBy}</bdi>, {formatLeft(card.deadline - now)} left
      </span>
    </>
  );
}
