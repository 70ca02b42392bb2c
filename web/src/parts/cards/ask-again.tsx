import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ViewEntry } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import { askableAgain, mayDo } from "../../state/cards.ts";
import { useApp } from "../use-app.ts";

/** Offered beside a call whose card expired or changed: a fresh card for the same call. */
export function AskAgain({ result, chat }: { readonly result: ViewEntry; readonly chat: Chat }): JSX.Element | null {
  const { rest } = useApp().ports;
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const { view } = chat.replica.value;
  const hold = view && askableAgain(view, result);
  if (hold === undefined || !mayDo(chat.choices.value, hold, "ask_again")) return null;
  const ask = async (): Promise<void> => {
    const reply = await rest.askAgain(chat.id, hold);
    setProblem(reply.ok ? undefined : reply.error.message);
  };
  return (
    <p class="tool-explanation">
      <button type="button" class="text-button" onClick={() => void ask()}>
        Ask again
      </button>
      {problem === undefined ? null : <span role="alert"> {problem}</span>}
    </p>
  );
}
