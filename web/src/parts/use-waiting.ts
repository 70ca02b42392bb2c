import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { openCards } from "../state/cards.ts";
import { useApp } from "./use-app.ts";

/** The list across conversations is told of a card after the conversation itself. */
const SOON_MS = 2_000;

/** Keeps the list of what waits for the person up to date, and shows the card that was chosen in it. */
export function useWaiting(): void {
  const app = useApp();
  const { waiting, me, notices, ports } = app;
  // Computed, so that other commits draw nothing again. Undefined: the conversation is not loaded.
  const holds = useComputed(() => {
    const view = app.chat.value.transcript.view.value;
    return (
      view &&
      openCards(view)
        .map(({ hold }) => hold)
        .join(" ")
    );
  }).value;
  const isKnown = me.value !== undefined;
  useEffect(() => {
    if (!isKnown) return undefined;
    void waiting.refresh();
    return ports.after(SOON_MS, () => void waiting.refresh());
  }, [holds, isKnown]);
  useEffect(() => {
    const look = (): void => void (app.me.value && waiting.refresh());
    window.addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      window.removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  const want = waiting.wanted.value;
  useEffect(() => {
    if (want === undefined || holds === undefined) return;
    waiting.wanted.value = undefined;
    const card = document.getElementById(`card-${want}`);
    if (card === null) {
      void waiting.refresh();
      return notices.info("That card has been decided meanwhile.");
    }
    card.scrollIntoView({ block: "center" });
    card.focus({ preventScroll: true });
  }, [want, holds]);
}
