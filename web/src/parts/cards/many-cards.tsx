import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { HoldCard } from "../../../../src/protocol/cards.ts";
import type { Chat } from "../../app/chat.ts";
import { approveReadiness, mayDo, openCards } from "../../state/cards.ts";
import { Dialog } from "../dialog.tsx";

const NOTHING_SEEN: ReadonlySet<string> = new Set();

/** Offered while several cards wait: deciding an explicit list of them at once. */
export function ManyCards({ chat }: { readonly chat: Chat }): JSX.Element | null {
  const view = chat.transcript.view.value;
  const choices = chat.choices.value;
  const cards = view === undefined ? [] : openCards(view).filter(({ hold }) => mayDo(choices, hold, "approve"));
  const [listed, setListed] = useState<readonly HoldCard[] | undefined>(undefined);
  if (cards.length < 2 && listed === undefined) return null;
  return (
    <p class="many-cards">
      <button type="button" class="text-button" onClick={() => setListed(cards)}>
        {cards.length} calls wait for approval: decide together
      </button>
      {listed === undefined ? null : <ManyDialog cards={listed} chat={chat} onClose={() => setListed(undefined)} />}
    </p>
  );
}

interface ManyDialogProps {
  /** As they stood when the list was opened: what comes later is not on it. */
  readonly cards: readonly HoldCard[];
  readonly chat: Chat;
  readonly onClose: () => void;
}

function ManyDialog({ cards, chat, onClose }: ManyDialogProps): JSX.Element {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = cards.filter(({ hold }) => !left.has(hold));
  const whole = chosen.every((card) => {
    const situation = { nowMs: card.askedAt, seen: NOTHING_SEEN, isSending: false };
    return approveReadiness(card, situation).can;
  });
  const toggle = (hold: string) => {
    const next = new Set(left);
    if (!next.delete(hold)) next.add(hold);
    setLeft(next);
  };
  const decide = (decision: "approve" | "decline") => {
    chat.decideMany(chosen, decision);
    onClose();
  };
  return (
    <Dialog title="Decide together" className="wide" onClose={onClose}>
      <ul class="many-list">
        {cards.map((card) => (
          <li key={card.hold}>
            <label>
              <input type="checkbox" checked={!left.has(card.hold)} onChange={() => toggle(card.hold)} />
              <bdi>{card.action}</bdi>
            </label>
            <pre tabIndex={0}>{card.args.map(({ name, value }) => `${name}: ${value}`).join("\n")}</pre>
          </li>
        ))}
      </ul>
      {whole ? null : (
        <p class="card-hint">A call whose values are cut is approved on its own card, where they can be seen.</p>
      )}
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="button" disabled={chosen.length === 0} onClick={() => decide("decline")}>
          Decline these {chosen.length}
        </button>
        <button
          type="button"
          class="button primary"
          disabled={chosen.length === 0 || !whole}
          onClick={() => decide("approve")}
        >
          Approve these {chosen.length}
        </button>
      </div>
    </Dialog>
  );
}
