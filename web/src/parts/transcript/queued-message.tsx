import type { JSX } from "preact";
import type { QueuedInput } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import { isOwn, mayTakeBack } from "../../state/room.ts";
import { useApp } from "../use-app.ts";

/** What the server has and what waits for the running turn: a message, or a change that asks for no answer. */
export function QueuedMessage({ chat, item }: { readonly chat: Chat; readonly item: QueuedInput }): JSX.Element {
  const app = useApp();
  if (item.mode === "write") {
    return (
      <p class="note" dir="auto">
        {item.text === "" ? "A change takes effect after the step that is running." : item.text}
      </p>
    );
  }
  const me = app.me.value?.principal;
  const isOther = me !== undefined && !isOwn(me, item.actor);
  const mayWithdraw = mayTakeBack(chat.transcript.view.value, me, item.actor);
  const files = item.files === 0 ? "" : `, with ${item.files} ${item.files === 1 ? "file" : "files"}`;
  return (
    <article class={isOther ? "said pending other" : "said pending"}>
      <h2 class="visually-hidden">{isOther ? (item.name ?? item.actor) : "You"}, queued</h2>
      {isOther ? (
        <p class="said-by" aria-hidden="true">
          <bdi>{item.name ?? item.actor}</bdi>
        </p>
      ) : null}
      <div class="bubble" dir="auto">
        {item.text}
      </div>
      <p class="said-state">
        {item.mode === "steer" ? "Joins the running answer" : "Queued"}
        {files}
        {mayWithdraw ? (
          <button type="button" class="text-button" onClick={() => chat.withdraw(item.input)}>
            Withdraw
          </button>
        ) : null}
      </p>
    </article>
  );
}
