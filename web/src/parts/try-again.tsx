import type { JSX } from "preact";
import type { Chat } from "../app/chat.ts";
import { filesOf, textOf } from "../state/rows.ts";
import { Icon } from "./icons.tsx";
import { useApp } from "./use-app.ts";

/** The way on after a failed answer: what stayed queued, or the same words once more. */
export function TryAgain({ chat }: { readonly chat: Chat }): JSX.Element | null {
  const app = useApp();
  const view = chat.transcript.view.value;
  if (view === undefined || view.turn !== null) return null;
  if (view.inbox.length > 0) {
    return (
      <button type="button" class="button small" onClick={() => chat.goOn()}>
        <Icon name="refresh" size={16} />
        Continue with the queued messages
      </button>
    );
  }
  const last = view.entries.findLast((entry) => entry.kind === "core.user");
  if (last === undefined) return null;
  return (
    <button type="button" class="button small" onClick={() => app.send(textOf(last), filesOf(last))}>
      <Icon name="refresh" size={16} />
      Try again
    </button>
  );
}
