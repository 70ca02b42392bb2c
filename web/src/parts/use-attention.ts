import { useEffect, useRef } from "preact/hooks";
import { chatOf } from "../state/cards.ts";
import { useSurroundings } from "./use-app.ts";

/** Tells whoever does not look: the window's title, and a notification for each new card (where it was asked for). */
export function useAttention(): void {
  const { app, notifier } = useSurroundings();
  const { transcript } = app.chat.value;
  const cards = transcript.openCards.value;
  const title = chatOf(transcript.view.value).title;
  const shown = useRef(new Set<string>());
  useEffect(() => {
    for (const card of cards) {
      if (shown.current.has(card.hold)) continue;
      shown.current.add(card.hold);
      notifier.show(card);
    }
  }, [cards]);
  useEffect(() => {
    const name = title === undefined || title === "" ? "Althing" : `${title} · Althing`;
    document.title = cards.length > 0 ? `Approval needed · ${name}` : name;
  }, [title, cards.length]);
}
