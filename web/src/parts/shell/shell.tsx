import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { AuditDoor } from "../cards/audit-door.tsx";
import { Composer } from "../composer/composer.tsx";
import { DropZone } from "../composer/drop-zone.tsx";
import { useKeyboardRoom } from "../composer/use-keyboard-room.ts";
import { AccountPanels } from "../people/account-panels.tsx";
import { BackgroundList } from "../transcript/background-list.tsx";
import { Transcript } from "../transcript/transcript.tsx";
import { useApp } from "../use-app.ts";
import { NoticeList } from "../waiting/notice-list.tsx";
import { useAttention } from "../waiting/use-attention.ts";
import { useWaiting } from "../waiting/use-waiting.ts";
import { Drawer } from "./drawer.tsx";
import { Header } from "./header.tsx";
import { Sidebar } from "./sidebar.tsx";
import { useNarrow } from "./use-narrow.ts";
import { useSeen } from "./use-seen.ts";

/** The chat: the list beside it, or in a drawer where the window is narrow. */
export function Shell(): JSX.Element {
  const app = useApp();
  const isNarrow = useNarrow();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const chat = app.chat.value;
  useAttention();
  useSeen();
  useWaiting();
  useKeyboardRoom();
  useEffect(() => setDrawerOpen(false), [chat, isNarrow, app.waiting.wanted.value]);
  return (
    <div class="shell">
      <AccountPanels />
      <a class="skip-link" href="#composer">
        Skip to the message field
      </a>
      {isNarrow ? null : <Sidebar />}
      {isNarrow && isDrawerOpen ? (
        <Drawer onClose={() => setDrawerOpen(false)}>
          <Sidebar />
        </Drawer>
      ) : null}
      <main class="main" aria-label="Conversation">
        <Header onOpenList={isNarrow ? () => setDrawerOpen(true) : undefined} />
        <DropZone>
          <Transcript key={chat.id} chat={chat} />
          <div class="dock">
            <NoticeList />
            <BackgroundList chat={chat} />
            <Composer key={`composer-${chat.id}`} chat={chat} />
          </div>
        </DropZone>
      </main>
      <AuditDoor />
    </div>
  );
}
