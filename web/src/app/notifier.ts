import { type Signal, signal } from "@preact/signals";
import { WAITING_NAMES, type Waiting } from "../state/waiting.ts";

/** Shows a browser notification when a card waits and nobody looks. Asked for by a button, never assumed. */
export interface Notifier {
  /** `askable`: the person was not asked yet. `unable`: the browser has none, or the person said no. */
  readonly status: Signal<"askable" | "on" | "unable">;
  ask(): Promise<void>;
  /** Shows one notification a card; the same card again replaces it. */
  show(card: Waiting): void;
}

export function createNotifier(window: Window & typeof globalThis): Notifier {
  const { Notification, document } = window;
  const read = () => {
    if (Notification === undefined) return "unable";
    return Notification.permission === "granted" ? "on" : Notification.permission === "denied" ? "unable" : "askable";
  };
  const status: Notifier["status"] = signal(read());
  return {
    status,
    ask: async () => {
      await Notification.requestPermission();
      status.value = read();
    },
    show: ({ id, kind, words }) => {
      if (!document.hidden || read() !== "on") return;
      const notification = new Notification(WAITING_NAMES[kind], { body: words, tag: id, icon: "/favicon.svg" });
      notification.addEventListener("click", () => {
        window.focus();
        notification.close();
      });
    },
  };
}
