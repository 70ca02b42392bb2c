import { useEffect, useRef } from "preact/hooks";
import { chatOf } from "../../state/cards.ts";
import { WAITING_NAMES } from "../../state/waiting.ts";
import { useSurroundings } from "../use-app.ts";

/** Tells whoever does not look: the window's title, and a notification for each new card (where it was asked for). */
export function useAttention(): void {
  const { app, notifier } = useSurroundings();
  const { transcript } = app.chat.value;
  const cards = transcript.waiting.value;
  const first = cards[0]?.kind;
  const title = chatOf(transcript.view.value).title;
  const shown = useRef(new Set<string>());
  useEffect(() => {
    for (const card of cards) {
      if (shown.current.has(card.id)) continue;
      shown.current.add(card.id);
      notifier.show(card);
    }
  }, [cards]);
  useEffect(() => {
    const name = title === undefined || title === "" ? "Althing" : `${title} · Althing`;
    document.title = first === undefined ? name : `${WAITING_NAMES[first]} · ${name}`;
  }, [title, first]);
}
