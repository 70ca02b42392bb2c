import type { JSX } from "preact";
import type { QueuedInput } from "../../../src/protocol/view.ts";
import type { Chat } from "../app/chat.ts";

/** A message that the server has and that waits for the running turn. */
export function QueuedMessage({ chat, item }: { readonly chat: Chat; readonly item: QueuedInput }): JSX.Element {
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
