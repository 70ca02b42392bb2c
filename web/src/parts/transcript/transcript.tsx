import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Chat } from "../../app/chat.ts";
import { ManyCards } from "../cards/many-cards.tsx";
import { useNow } from "../use-app.ts";
import { useWanted } from "../use-wanted.ts";
import { Activity } from "./activity.tsx";
import { EmptyState } from "./empty-state.tsx";
import { EndedState } from "./ended-state.tsx";
import { JumpButton } from "./jump-button.tsx";
import { OutgoingMessage } from "./outgoing-message.tsx";
import { QueuedMessage } from "./queued-message.tsx";
import { RowView } from "./row-view.tsx";
import { type Stick, useStick } from "./use-stick.ts";

/** The conversation itself, newest at the bottom. */
export function Transcript({ chat }: { readonly chat: Chat }): JSX.Element {
  const { transcript, post, isNew } = chat;
  const now = useNow(60_000);
  const rows = transcript.rows.value;
  const view = transcript.view.value;
  const connection = chat.connection.value;
  const stick = useStick();
  useWanted(chat, stick);
  useOwnWords(post.outbox.value.length, stick);
  const front = rows.find((row) => row.kind !== "day")?.key;
  useSteadyFront(stick.content, stick.scroller, front);
  const last = rows.findLast((row) => row.kind === "answer" || row.kind === "user")?.key;
  const isEmpty = rows.length === 0 && post.outbox.value.length === 0 && (view?.inbox.length ?? 0) === 0;
  if (connection.status === "ended" && view === undefined) return <EndedState why={connection.why} />;
  return (
    <div class="transcript" ref={stick.scroller} tabIndex={-1}>
      <div class="column" ref={stick.content}>
        {transcript.pages.value.earlier ? <Earlier chat={chat} /> : null}
        {rows.map((row) => (
          <RowView key={row.key} row={row} chat={chat} isLast={row.key === last && view?.turn === null} nowMs={now} />
        ))}
        {view === undefined ? null : <Activity chat={chat} view={view} />}
        <ManyCards chat={chat} />
        {view?.inbox.map((item) => (
          <QueuedMessage key={item.input} chat={chat} item={item} />
        ))}
        {post.outbox.value.map((item) => (
          <OutgoingMessage key={item.id} chat={chat} item={item} />
        ))}
        {isEmpty && (isNew.value || view !== undefined) ? <EmptyState /> : null}
        {isEmpty && !isNew.value && view === undefined ? <Skeleton /> : null}
      </div>
      <JumpButton chat={chat} stick={stick} />
    </div>
  );
}

/** Shown while the first snapshot is on its way. */
function Skeleton(): JSX.Element {
  return (
    <div class="skeleton" aria-hidden="true">
      <div />
      <div />
      <div />
    </div>
  );
}

/** The top of what is known: asks for the page before it when it comes near. */
function Earlier({ chat }: { readonly chat: Chat }): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const element = button.current;
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && chat.more(),
      { root: element.closest(".transcript"), rootMargin: "600px 0px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [chat, chat.transcript.pages.value]);
  return (
    <button ref={button} type="button" class="text-button earlier" onClick={() => chat.more()}>
      {chat.isPaging.value ? "Loading earlier messages…" : "Earlier messages"}
    </button>
  );
}

/** Whoever sends something wants to see what comes of it. */
function useOwnWords(outgoing: number, stick: Stick): void {
  const known = useRef(outgoing);
  useLayoutEffect(() => {
    if (outgoing > known.current) stick.toBottom();
    known.current = outgoing;
  }, [outgoing]);
}

/** Keeps what the person reads where it is when older rows appear above it. */
function useSteadyFront(
  content: { readonly current: HTMLElement | null },
  scroller: { readonly current: HTMLElement | null },
  front: string | undefined,
): void {
  const known = useRef<string | undefined>(undefined);
  const anchor = known.current === front ? undefined : findRow(content.current, known.current);
  // Measured while the old rows are still in place.
  const before = anchor?.getBoundingClientRect().top;
  useLayoutEffect(() => {
    known.current = front;
    if (anchor === undefined || before === undefined || !anchor.isConnected || scroller.current === null) return;
    scroller.current.scrollTop += anchor.getBoundingClientRect().top - before;
  }, [front]);
}

function findRow(content: HTMLElement | null, key: string | undefined): Element | undefined {
  if (content === null || key === undefined) return undefined;
  return [...content.children].find((element) => (element as HTMLElement).dataset.key === key);
}
