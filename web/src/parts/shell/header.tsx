import type { JSX } from "preact";
import { chatOf } from "../../state/cards.ts";
import { formatCost, formatCount } from "../../state/format.ts";
import { roomOf } from "../../state/room.ts";
import { PolicyChip } from "../cards/policy-chip.tsx";
import { Icon } from "../icons.tsx";
import { RoomMark } from "../people/room-mark.tsx";
import { useApp } from "../use-app.ts";
import { ConnectionState } from "./connection-state.tsx";
import { ConversationMenu } from "./conversation-menu.tsx";

/** Which conversation this is, what it cost, and whether the page is connected. */
export function Header({ onOpenList }: { readonly onOpenList: (() => void) | undefined }): JSX.Element {
  const app = useApp();
  const chat = app.chat.value;
  const view = chat.transcript.view.value;
  const listed = app.list.items.value.find((item) => item.id === chat.id);
  const title = chatOf(view).title ?? listed?.title ?? "";
  const usage = view?.usage ?? listed?.usage;
  return (
    <header class="header">
      {onOpenList === undefined ? null : (
        <button type="button" class="icon-button" aria-label="Open the list of conversations" onClick={onOpenList}>
          <Icon name="menu" />
        </button>
      )}
      <h1 class="header-title">
        <bdi>{title === "" ? "New conversation" : title}</bdi>
      </h1>
      <RoomMark chat={chat} />
      {usage === undefined ? null : <Spent usage={usage} />}
      <PolicyChip chat={chat} />
      <ConnectionState chat={chat} />
      {chat.isNew.value ? null : (
        <ConversationMenu
          summary={{ id: chat.id, title, visibility: roomOf(view) === undefined ? "private" : "shared" }}
          chat={chat}
        />
      )}
    </header>
  );
}

interface SpentProps {
  readonly usage: { input: number; output: number; cachedRead: number; cachedWrite: number; costMicros: number };
}

/** The cost of the conversation; where the model has no price, its tokens. */
function Spent({ usage }: SpentProps): JSX.Element | null {
  const input = usage.input + usage.cachedRead + usage.cachedWrite;
  const tokens = input + usage.output;
  if (tokens === 0) return null;
  const cost = formatCost(usage.costMicros);
  const detail = `${formatCount(input)} tokens read (${formatCount(usage.cachedRead)} from the cache), ${formatCount(usage.output)} written`;
  return (
    <span class="spent" title={detail}>
      {cost === "" ? `${formatCount(tokens)} tokens` : cost}
    </span>
  );
}
