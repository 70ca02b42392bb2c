import { useEffect } from "preact/hooks";
import type { Chat } from "../app/chat.ts";
import type { Stick } from "./transcript/use-stick.ts";
import { useApp } from "./use-app.ts";

/** Brings the entry that the person wants to see before their eyes, loading older pages until it is there. */
export function useWanted(chat: Chat, stick: Stick): void {
  const app = useApp();
  const { wanted, isPaging, transcript } = chat;
  const want = wanted.value;
  // As they are drawn: an effect runs after its drawing, when the signals may be further on.
  const rows = transcript.rows.value;
  const pages = transcript.pages.value;
  useEffect(() => {
    if (want === undefined) return;
    const row = rows.find((one) => "entry" in one && one.entry.id === want.entry);
    if (row === undefined && pages.earlier) return chat.more();
    wanted.value = undefined;
    if (row === undefined) return app.notices.info("The message is not in the conversation any more.");
    stick.isStuck.value = false;
    const element = stick.content.current?.querySelector<HTMLElement>(`[data-key="${row.key}"]`);
    element?.scrollIntoView({ block: "center" });
    element?.focus({ preventScroll: true });
  }, [want, rows, pages, isPaging.value]);
}
