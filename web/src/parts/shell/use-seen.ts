import { useEffect } from "preact/hooks";
import { stateOf } from "../../state/list.ts";
import { useApp } from "../use-app.ts";

/** Notes what the person has before their eyes: the open conversation, between its turns, while the tab is shown. */
export function useSeen(): void {
  const app = useApp();
  const chat = app.chat.value;
  const { rev, view } = chat.replica.value;
  const isAtRest = view !== undefined && stateOf(view) !== "running";
  useEffect(() => {
    const look = () => {
      if (!document.hidden && isAtRest && rev !== undefined) app.seen.see(chat.id, rev);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [chat, rev, isAtRest]);
}
