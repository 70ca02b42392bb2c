import type { JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import type { ViewEntry } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import { mayRule } from "../../state/room.ts";
import { Icon } from "../icons.tsx";
import { Menu, MenuItem } from "../menu.tsx";
import { useApp } from "../use-app.ts";
import { LeftContext } from "./left-context.ts";
import type { SentPanel } from "./sent-panel.tsx";

interface MessageMenuProps {
  readonly entry: ViewEntry;
  readonly chat: Chat;
  /** Names the message for who cannot see which one it is. */
  readonly label: string;
}

/** What can be done with one message besides reading it. */
export function MessageMenu({ entry, chat, label }: MessageMenuProps): JSX.Element {
  const app = useApp();
  const isLeft = useContext(LeftContext);
  const [Panel, setPanel] = useState<typeof SentPanel | undefined>(undefined);
  const me = app.me.value?.principal;
  const isRuler = mayRule(chat.transcript.view.value, me);
  const isPinned = chat.transcript.pins.value.has(entry.id);
  const showSent = (): void => {
    import("./sent-panel.tsx").then(
      (module) => setPanel(() => module.SentPanel),
      () => app.notices.problem("This part of the page could not be loaded. Reload the page, then try again."),
    );
  };
  return (
    <>
      <Menu label={label} face={<Icon name="more" size={18} />}>
        {entry.kind === "core.assistant" && !isLeft && isRuler ? (
          <MenuItem icon="sent" onPick={showSent}>
            What was sent
          </MenuItem>
        ) : null}
        <MenuItem icon="fork" onPick={() => void app.fork(entry.id)}>
          Fork from here
        </MenuItem>
        {isLeft || !isRuler ? null : (
          <MenuItem icon="pin" onPick={() => void chat.history.pin(entry.id, !isPinned)}>
            {isPinned ? "Unpin" : "Pin"}
          </MenuItem>
        )}
      </Menu>
      {Panel === undefined ? null : <Panel entry={entry} chat={chat} onClose={() => setPanel(undefined)} />}
    </>
  );
}

/** Says that a message is pinned. */
export function PinnedMark({ entry, chat }: { readonly entry: ViewEntry; readonly chat: Chat }): JSX.Element | null {
  const isLeft = useContext(LeftContext);
  if (isLeft || !chat.transcript.pins.value.has(entry.id)) return null;
  return (
    <p class="pinned-mark">
      <Icon name="pin" size={14} />
      Pinned
    </p>
  );
}
