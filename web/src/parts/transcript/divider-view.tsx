import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { unreachable } from "../../../../src/lib/assert.ts";
import type { Chat } from "../../app/chat.ts";
import type { Divider } from "../../state/dividers.ts";
import { chatPath } from "../../state/route.ts";
import type { Row } from "../../state/rows.ts";
import { Icon, type IconName } from "../icons.tsx";
import { useApp } from "../use-app.ts";
import { LeftBehind } from "./left-behind.tsx";
import { Markdown } from "./markdown.tsx";

interface DividerViewProps {
  readonly row: Extract<Row, { readonly kind: "divider" }>;
  readonly chat: Chat;
  /** Draws a row of what was left behind. */
  readonly drawRow: (row: Row) => JSX.Element;
}

/** A line across the transcript that says what is different from here on. */
export function DividerView({ row, chat, drawRow }: DividerViewProps): JSX.Element {
  const { divider } = row;
  switch (divider.kind) {
    case "summary":
    case "handoff":
      return <Opening row={row} text={divider.text} />;
    case "rewind":
      return <WentBack row={row} chat={chat} drawRow={drawRow} />;
    case "reset":
      return (
        <div class="divider" data-key={row.key}>
          <Words divider={divider} />
        </div>
      );
    case "fork":
      return (
        <div class="divider" data-key={row.key}>
          <Words divider={divider} />
          {divider.conversation === undefined ? null : <OriginLink conversation={divider.conversation} />}
        </div>
      );
    default:
      return unreachable(divider);
  }
}

function Words({ divider }: { readonly divider: Divider }): JSX.Element {
  return (
    <span class="divider-words">
      <Icon name={ICONS[divider.kind]} size={16} />
      <span>{divider.words}</span>
    </span>
  );
}

const ICONS: Readonly<Record<Divider["kind"], IconName>> = {
  summary: "fold",
  handoff: "fresh",
  reset: "fresh",
  rewind: "past",
  fork: "fork",
};

function OriginLink({ conversation }: { readonly conversation: string }): JSX.Element {
  const app = useApp();
  return (
    <a
      class="text-button"
      href={chatPath(conversation)}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        app.openChat(conversation);
      }}
    >
      Open it
    </a>
  );
}

function Opening({ row, text }: { readonly row: DividerViewProps["row"]; readonly text: string }): JSX.Element {
  return (
    <details class="divider-opening" data-key={row.key}>
      <summary class="divider">
        <Words divider={row.divider} />
        <Icon name="chevron" size={16} />
      </summary>
      <div class="divider-body">
        <Markdown text={text} isComplete />
      </div>
    </details>
  );
}

function WentBack({ row, chat, drawRow }: DividerViewProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <div data-key={row.key}>
      <div class="divider">
        <Words divider={row.divider} />
        <button type="button" class="text-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide it" : "Show it"}
          <span class="visually-hidden"> (what was left behind)</span>
        </button>
      </div>
      {isOpen ? <LeftBehind entry={row.entry.id} chat={chat} drawRow={drawRow} /> : null}
    </div>
  );
}
