import type { JSX } from "preact";
import type { Chat } from "../../app/chat.ts";
import { isOwn, mayRule } from "../../state/room.ts";
import { Icon } from "../icons.tsx";
import { useApp } from "../use-app.ts";
import { goBackBefore } from "./go-back.ts";

interface TryAgainProps {
  readonly chat: Chat;
  /** Quiet below an answer that came, a button below one that failed. */
  readonly className: "fact-button" | "button small";
}

/** The way on after an answer: what stayed queued, or the same words once more in place of what they led to. */
export function TryAgain({ chat, className }: TryAgainProps): JSX.Element | null {
  const app = useApp();
  const { view, rows, whyNotBack } = chat.transcript;
  if (view.value === undefined || view.value.turn !== null) return null;
  if (view.value.inbox.some((item) => item.mode !== "write")) {
    return (
      <button type="button" class={className} onClick={() => chat.goOn()}>
        <Icon name="refresh" size={16} />
        Continue with the queued messages
      </button>
    );
  }
  // What the system told last, the result of a call that went on alone for one, cannot be said again.
  const last = rows.value.findLast((row) => "entry" in row && row.entry.kind === "core.user");
  const me = app.me.value?.principal;
  if (last?.kind !== "user" || !isOwn(me, last.said.actor) || !mayRule(view.value, me)) return null;
  const { text, files } = last.said;
  return (
    <button
      type="button"
      class={className}
      aria-disabled={whyNotBack.value !== undefined}
      title={whyNotBack.value}
      onClick={() => goBackBefore(app, last.entry.id, (rewindTo) => app.send(text, files, rewindTo))}
    >
      <Icon name="refresh" size={16} />
      Try again
    </button>
  );
}
