import type { JSX, RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { Chat } from "../../app/chat.ts";
import { isTouch } from "../shell/use-narrow.ts";
import { useApp } from "../use-app.ts";
import { decideKey } from "./composer-keys.ts";
import { EDIT_WORDS } from "./edit-banner.tsx";
import { useAutosize } from "./use-autosize.ts";

interface MessageFieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly chat: Chat;
  /** Id of the element that says what is wrong with the message. */
  readonly problemId: string | undefined;
  readonly onWrite: () => void;
  readonly onSubmit: () => void;
}

/** The field itself: grows with its words, takes pasted files, and knows what Enter means here. */
export function MessageField({ field, chat, problemId, onWrite, onSubmit }: MessageFieldProps): JSX.Element {
  const app = useApp();
  const draft = app.draft.value;
  const isRunning = (chat.transcript.view.value?.turn ?? null) !== null;
  useAutosize(field, draft.text.value);
  useEffect(() => {
    if (!isTouch()) field.current?.focus();
  }, []);
  const isEdit = app.edit.value !== undefined;
  const describedBy = [problemId, isEdit ? EDIT_WORDS : undefined].filter((id) => id !== undefined).join(" ");
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && !event.isComposing) app.endEdit();
    if (decideKey(event, isTouch()) !== "send") return;
    event.preventDefault();
    onSubmit();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    app.attach(files);
  };
  return (
    <textarea
      id="composer"
      ref={field}
      rows={1}
      value={draft.text.value}
      placeholder={isRunning ? "Add to what is running…" : "Write a message…"}
      aria-label={isEdit ? "Edited message" : "Message"}
      aria-invalid={problemId !== undefined}
      aria-describedby={describedBy === "" ? undefined : describedBy}
      onInput={(event) => {
        draft.write(event.currentTarget.value);
        onWrite();
      }}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
    />
  );
}
