import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import type { Chat } from "../../app/chat.ts";
import { formatClock } from "../../state/format.ts";
import { isOwn, mayRule } from "../../state/room.ts";
import type { Row } from "../../state/rows.ts";
import { useApp } from "../use-app.ts";
import { EditButton } from "./edit-button.tsx";
import { FileList } from "./file-list.tsx";
import { LeftContext } from "./left-context.ts";
import { MessageMenu, PinnedMark } from "./message-menu.tsx";

interface UserMessageProps {
  readonly row: Extract<Row, { readonly kind: "user" }>;
  readonly chat: Chat;
}

/** What a person said, as they wrote it. */
export function UserMessage({ row, chat }: UserMessageProps): JSX.Element {
  const app = useApp();
  const isLeft = useContext(LeftContext);
  const { said, entry } = row;
  const me = app.me.value?.principal;
  const isOther = me !== undefined && said.actor !== "" && !isOwn(me, said.actor);
  const isEdited = app.edit.value?.entry === entry.id;
  const name = said.name ?? said.actor;
  const mayEdit = mayRule(chat.transcript.view.value, me);
  const marks = [isOther ? "other" : "", entry.inherited === true ? "inherited" : "", isEdited ? "edited" : ""].filter(
    (mark) => mark !== "",
  );
  return (
    <article class={["said", ...marks].join(" ")} data-key={row.key} tabIndex={-1}>
      <h2 class="visually-hidden">
        {isOther ? name : "You"}
        {entry.inherited === true ? ", before the fork" : ""}
      </h2>
      {isOther ? (
        <p class="said-by" aria-hidden="true">
          <bdi>{name}</bdi>
        </p>
      ) : null}
      <FileList files={said.files} conversation={chat.id} />
      <div class="said-line">
        {said.text === "" ? null : (
          <div class="bubble" dir="auto" title={formatClock(entry.at)}>
            {said.text}
          </div>
        )}
        <div class="said-actions">
          {isOther || isLeft || !mayEdit ? null : <EditButton row={row} chat={chat} />}
          <MessageMenu entry={entry} chat={chat} label="More for this message" />
        </div>
      </div>
      <PinnedMark entry={entry} chat={chat} />
    </article>
  );
}
