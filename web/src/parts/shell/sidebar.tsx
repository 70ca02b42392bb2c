import type { JSX } from "preact";
import { overlayOpen } from "../../state/list.ts";
import { Icon, Mark } from "../icons.tsx";
import { AccountMenu } from "../people/account-menu.tsx";
import { useApp, useNow } from "../use-app.ts";
import { NoticesButton } from "../waiting/notices-button.tsx";
import { WaitingTray } from "../waiting/waiting-tray.tsx";
import { ConversationRow } from "./conversation-row.tsx";
import { ImportButton } from "./import-button.tsx";

/** The person's conversations, the way to a new one, and who is signed in. */
export function Sidebar(): JSX.Element {
  const app = useApp();
  const now = useNow(30_000);
  const chat = app.chat.value;
  const { items, status, next } = app.list;
  const rows = items.value.map((item) => (item.id === chat.id ? overlayOpen(item, chat.transcript.view.value) : item));
  return (
    <aside class="sidebar" aria-label="Conversations">
      <div class="brand">
        <Mark size={26} />
        <span>Althing</span>
        <NoticesButton />
      </div>
      <div class="new-chats">
        <a
          class="button new-chat"
          href="/chat"
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            app.openChat(undefined);
            document.getElementById("composer")?.focus();
          }}
        >
          <Icon name="plus" size={18} />
          New conversation
        </a>
        {app.me.value?.principal.tier === "owner" ? (
          <button type="button" class="button new-room" onClick={() => void app.openRoom()}>
            <Icon name="people" size={18} />
            New shared conversation
          </button>
        ) : null}
      </div>
      <WaitingTray />
      <nav class="list" aria-label="Your conversations">
        {rows.length === 0 ? <p class="list-note">{EMPTY_WORDS[status.value]}</p> : null}
        <ul>
          {rows.map((item) => (
            <ConversationRow key={item.id} summary={item} isOpen={item.id === chat.id} nowMs={now} />
          ))}
        </ul>
        {next.value === undefined ? null : (
          <button type="button" class="text-button" onClick={() => void app.list.more()}>
            Show older ones
          </button>
        )}
        <ImportButton />
      </nav>
      <AccountMenu />
    </aside>
  );
}

const EMPTY_WORDS = {
  loading: "Loading…",
  failed: "The list could not be loaded. It is tried again when the server is back.",
  ready: "What you talk about appears here.",
} as const;
