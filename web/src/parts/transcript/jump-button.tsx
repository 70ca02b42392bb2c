import type { JSX } from "preact";
import type { Chat } from "../../app/chat.ts";
import { Icon } from "../icons.tsx";
import type { Stick } from "./use-stick.ts";

/** The way back down, shown when the person reads further up. An open card takes precedence. */
export function JumpButton({ chat, stick }: { readonly chat: Chat; readonly stick: Stick }): JSX.Element | null {
  const card = chat.transcript.waiting.value[0];
  if (stick.isStuck.value) return null;
  const jump = (): void => {
    const element = card === undefined ? null : document.getElementById(`card-${card.id}`);
    if (element === null) return stick.toBottom();
    element.scrollIntoView({ block: "center" });
    element.focus({ preventScroll: true });
  };
  return (
    <button type="button" class={card === undefined ? "jump" : "jump attention"} onClick={jump}>
      <Icon name={card === undefined ? "down" : card.kind === "question" ? "question" : "shield"} size={18} />
      {card === undefined ? "Jump to latest" : card.kind === "question" ? "Question waiting" : "Approval waiting"}
    </button>
  );
}
