import type { JSX } from "preact";
import type { Chat } from "../../app/chat.ts";
import { Icon } from "../icons.tsx";
import { useApp } from "../use-app.ts";

/** Id of the sentence that says what sending would do. */
export const EDIT_WORDS = "edit-words";

/** Says that the field holds an earlier message, and what sending it does. */
export function EditBanner({ chat }: { readonly chat: Chat }): JSX.Element | null {
  const app = useApp();
  if (app.edit.value === undefined) return null;
  const reason = chat.transcript.whyNotBack.value;
  return (
    <div class="edit-banner">
      <Icon name="pencil" size={16} />
      <p id={EDIT_WORDS}>
        <b>Editing an earlier message.</b> {reason ?? "What came after it will be left behind."}
      </p>
      <button type="button" class="text-button" onClick={() => app.endEdit()}>
        Cancel
      </button>
    </div>
  );
}
