import type { JSX } from "preact";
import type { Chat } from "../../app/chat.ts";
import type { Outgoing } from "../../state/outbox.ts";
import { useApp } from "../use-app.ts";
import { FileList } from "./file-list.tsx";

/** A message on its way to the server. */
export function OutgoingMessage({ chat, item }: { readonly chat: Chat; readonly item: Outgoing }): JSX.Element {
  return (
    <article class={item.status === "refused" ? "said pending refused" : "said pending"}>
      <h2 class="visually-hidden">You, not sent yet</h2>
      <FileList files={item.files} conversation={chat.id} />
      <div class="bubble" dir="auto">
        {item.text}
      </div>
      {item.status === "refused" ? (
        <Refusal chat={chat} item={item} />
      ) : (
        <p class="said-state">{wordsOf(chat, item)}</p>
      )}
    </article>
  );
}

function wordsOf(chat: Chat, item: Outgoing): string {
  if (item.status !== "waiting") return "Sending…";
  const { status } = chat.connection.value;
  return status === "waiting" || status === "ended" ? "Waiting to send" : "Sending…";
}

function Refusal(props: {
  readonly chat: Chat;
  readonly item: Extract<Outgoing, { readonly status: "refused" }>;
}): JSX.Element {
  const app = useApp();
  const { chat, item } = props;
  const edit = (): void => {
    if (item.rewindTo === undefined) {
      app.endEdit();
      app.draft.value.restore(item.text, item.files);
    } else {
      app.beginEdit(undefined, item, item.rewindTo);
    }
    chat.post.discard(item.id);
    document.getElementById("composer")?.focus();
  };
  return (
    <div class="said-state" role="alert">
      <p class="problem">Not accepted: {item.message}</p>
      <button type="button" class="text-button" onClick={() => chat.retry(item.id)}>
        Try again
      </button>
      <button type="button" class="text-button" onClick={edit}>
        Edit
      </button>
      <button type="button" class="text-button" onClick={() => chat.post.discard(item.id)}>
        Discard
      </button>
    </div>
  );
}
