import type { JSX } from "preact";
import type { QueuedInput } from "../../../src/protocol/view.ts";
import type { Chat } from "../app/chat.ts";

/** What the server has and what waits for the running turn: a message, or a change that asks for no answer. */
export function QueuedMessage({ chat, item }: { readonly chat: Chat; readonly item: QueuedInput }): JSX.Element {
  if (item.mode === "write") {
    return (
      <p class="note" dir="auto">
        {item.text === "" ? "A change takes effect after the step that is running." : item.text}
      </p>
    );
  }
  const files = item.files === 0 ? "" : `, with ${item.files} ${item.files === 1 ? "file" : "files"}`;
  return (
    <article class="said pending">
      <h2 class="visually-hidden">You, queued</h2>
      <div class="bubble" dir="auto">
        {item.text}
      </div>
      <p class="said-state">
        {item.mode === "steer" ? "Joins the running answer" : "Queued"}
        {files}
        <button type="button" class="text-button" onClick={() => chat.withdraw(item.input)}>
          Withdraw
        </button>
      </p>
    </article>
  );
}
