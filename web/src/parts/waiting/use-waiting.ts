import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { TOLD_MS } from "../../app/waiting-list.ts";
import { waitingIn } from "../../state/waiting.ts";
import { useApp } from "../use-app.ts";

/** Keeps the list of what waits for the person up to date, and shows the card that was chosen in it. */
export function useWaiting(): void {
  const app = useApp();
  const { waiting, me, notices, ports } = app;
  // Computed, so that other commits draw nothing again. Undefined: the conversation is not loaded.
  const ids = useComputed(() => {
    const view = app.chat.value.transcript.view.value;
    return (
      view &&
      waitingIn(view)
        .map(({ id }) => id)
        .join(" ")
    );
  }).value;
  const isKnown = me.value !== undefined;
  useEffect(() => {
    if (!isKnown) return undefined;
    void waiting.refresh();
    return ports.after(TOLD_MS, () => void waiting.refresh());
  }, [ids, isKnown]);
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
    if (want === undefined || ids === undefined) return;
    waiting.wanted.value = undefined;
    const card = document.getElementById(`card-${want}`);
    if (card === null) {
      void waiting.refresh();
      return notices.info("That does not wait for you any more.");
    }
    card.scrollIntoView({ block: "center" });
    card.focus({ preventScroll: true });
  }, [want, ids]);
}
