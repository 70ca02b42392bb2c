import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CardArgument, HoldCard } from "../../../../src/protocol/cards.ts";
import type { Chat } from "../../app/chat.ts";
import { formatCount } from "../../state/format.ts";
import { Icon } from "../icons.tsx";
import { useApp } from "../use-app.ts";
import { ValueDialog } from "../value-dialog.tsx";

interface CardArgumentsProps {
  readonly card: HoldCard;
  readonly chat: Chat;
  readonly seen: ReadonlySet<string>;
  readonly onSeen: (name: string) => void;
}

/** Every argument of the call, in the host's order. A cut value says so and can be opened whole. */
export function CardArguments({ card, chat, seen, onSeen }: CardArgumentsProps): JSX.Element {
  const { rest } = useApp().ports;
  const [open, setOpen] = useState<string | undefined>(undefined);
  return (
    <>
      <dl class="card-args">
        {card.args.map((arg) => (
          <div key={arg.name}>
            <dt>
              <code>{arg.name}</code>
            </dt>
            <dd>
              <pre tabIndex={0}>{arg.value}</pre>
              {arg.cut === undefined ? null : (
                <CutNote arg={arg} cut={arg.cut} isSeen={seen.has(arg.name)} onOpen={() => setOpen(arg.name)} />
              )}
            </dd>
          </div>
        ))}
        {card.args.length === 0 ? <p class="quiet">It takes no input.</p> : null}
      </dl>
      {open === undefined ? null : (
        <ValueDialog
          name={open}
          load={() => rest.holdArgument(chat.id, card.hold, open)}
          onLoaded={() => onSeen(open)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

interface CutNoteProps {
  readonly arg: CardArgument;
  readonly cut: NonNullable<CardArgument["cut"]>;
  readonly isSeen: boolean;
  readonly onOpen: () => void;
}

function CutNote({ arg, cut, isSeen, onOpen }: CutNoteProps): JSX.Element {
  return (
    <p class="cut">
      {isSeen ? <Icon name="check" size={16} /> : null}
      Cut: {formatCount(arg.value.length)} of {formatCount(cut.length)} characters are shown
      <span title={cut.sha256}> (SHA-256 {cut.sha256.slice(0, 8)}…)</span>.{" "}
      <button type="button" class="text-button" onClick={onOpen}>
        {isSeen ? "View again" : "View all"}
        <span class="visually-hidden"> of {arg.name}</span>
      </button>
    </p>
  );
}
