import type { JSX } from "preact";
import type { Chat } from "../../app/chat.ts";
import type { Row } from "../../state/rows.ts";
import { Icon } from "../icons.tsx";
import { useApp } from "../use-app.ts";
import { goBackBefore } from "./go-back.ts";

interface EditButtonProps {
  readonly row: Extract<Row, { readonly kind: "user" }>;
  readonly chat: Chat;
}

/** Opens one's own message in the field. While the conversation cannot go back it says why, also to a keyboard. */
export function EditButton({ row, chat }: EditButtonProps): JSX.Element {
  const app = useApp();
  const reason = chat.transcript.whyNotBack.value;
  const edit = (): void =>
    goBackBefore(app, row.entry.id, (rewindTo) => {
      app.beginEdit(row.entry.id, row.said, rewindTo);
      document.getElementById("composer")?.focus();
    });
  return (
    <button
      type="button"
      class="icon-button"
      aria-label="Edit this message"
      aria-disabled={reason !== undefined}
      title={reason ?? "Edit this message"}
      onClick={edit}
    >
      <Icon name="pencil" size={16} />
    </button>
  );
}
