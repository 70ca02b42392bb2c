import type { JSX } from "preact";
import type { Chat } from "../app/chat.ts";
import { formatClock } from "../state/format.ts";
import type { Row } from "../state/rows.ts";
import { FileList } from "./file-list.tsx";
import { useApp } from "./use-app.ts";

interface UserMessageProps {
  readonly row: Extract<Row, { readonly kind: "user" }>;
  readonly chat: Chat;
}

/** What a person said, as they wrote it. */
export function UserMessage({ row, chat }: UserMessageProps): JSX.Element {
  const app = useApp();
  const { said, entry } = row;
  const me = app.me.value?.principal.id;
  const isOther = me !== undefined && said.actor !== "" && said.actor !== me;
  return (
    <article class="said" data-key={row.key}>
      <h2 class="visually-hidden">{isOther ? said.actor : "You"}</h2>
      <FileList files={said.files} conversation={chat.id} />
      {said.text === "" ? null : (
        <div class="bubble" dir="auto" title={formatClock(entry.at)}>
          {said.text}
        </div>
      )}
    </article>
  );
}
