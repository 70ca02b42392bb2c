import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { AccountPanels } from "./account-panels.tsx";
import { AuditDoor } from "./audit-door.tsx";
import { BackgroundList } from "./background-list.tsx";
import { Composer } from "./composer.tsx";
import { Drawer } from "./drawer.tsx";
import { DropZone } from "./drop-zone.tsx";
import { Header } from "./header.tsx";
import { NoticeList } from "./notice-list.tsx";
import { Sidebar } from "./sidebar.tsx";
import { Transcript } from "./transcript.tsx";
import { useApp } from "./use-app.ts";
import { useAttention } from "./use-attention.ts";
import { useKeyboardRoom } from "./use-keyboard-room.ts";
import { useNarrow } from "./use-narrow.ts";
import { useSeen } from "./use-seen.ts";
import { useWaiting } from "./use-waiting.ts";

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
