import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Chat } from "../../app/chat.ts";
import { describeCount, findMessageFault } from "../../state/message-limits.ts";
import { mayTakeBack } from "../../state/room.ts";
import { Icon } from "../icons.tsx";
import { Problem } from "../problem.tsx";
import { isTouch } from "../shell/use-narrow.ts";
import { useApp } from "../use-app.ts";
import { AttachButton } from "./attach-button.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import { EditBanner } from "./edit-banner.tsx";
import { MessageField } from "./message-field.tsx";
import { ModelPicker } from "./model-picker.tsx";
import { PersonaPicker } from "./persona-select.tsx";

/** Where the person writes. It works before the connection does. */
export function Composer({ chat }: { readonly chat: Chat }): JSX.Element {
  const app = useApp();
  const draft = app.draft.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const text = draft.text.value;
  // What was wrong with an edit is not wrong with the draft that comes back.
  useEffect(() => setProblem(undefined), [app.edit.value]);
  const hasWords = text.trim() !== "" || draft.files.value.length > 0;
  const submit = (): void => {
    if (draft.isUploading.value) return setProblem("A file is still uploading. The message can go when it is there.");
    if (!hasWords) return;
    const reason = chat.transcript.whyNotBack.value;
    if (app.edit.value !== undefined && reason !== undefined) return setProblem(reason);
    const ids = draft.files.value.map((file) => file.id);
    const fault = findMessageFault(text, ids, app.limits.value);
    setProblem(fault);
    if (fault !== undefined) return;
    app.sendDraft();
    if (!isTouch()) field.current?.focus();
  };
  return (
    <form
      class="composer"
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <EditBanner chat={chat} />
      <AttachmentList draft={draft} />
      <MessageField
        field={field}
        chat={chat}
        problemId={problem === undefined ? undefined : PROBLEM}
        onWrite={() => setProblem(undefined)}
        onSubmit={submit}
      />
      <Problem id={PROBLEM} words={problem} />
      <div class="composer-bar">
        <AttachButton />
        <PersonaPicker chat={chat} />
        <ModelPicker chat={chat} />
        <span class="count">{describeCount(text.length, app.limits.value.textUnits) ?? ""}</span>
        <RunButtons chat={chat} hasWords={hasWords} />
      </div>
    </form>
  );
}

const PROBLEM = "composer-problem";

/** Send, or stop while a turn runs; both when there is something to add to it. */
function RunButtons({ chat, hasWords }: { readonly chat: Chat; readonly hasWords: boolean }): JSX.Element {
  const view = chat.transcript.view.value;
  const turn = view?.turn ?? null;
  const me = useApp().me.value?.principal;
  const mayStop = turn !== null && mayTakeBack(view, me, turn.actor);
  return (
    <>
      {turn === null || !mayStop ? null : (
        <button
          type="button"
          class="round stop"
          aria-label="Stop"
          title="Stop"
          disabled={turn.stopping}
          onClick={() => chat.stop()}
        >
          <Icon name="stop" />
        </button>
      )}
      {!mayStop || hasWords ? (
        <button type="submit" class="round send" aria-label="Send" title="Send" disabled={!hasWords}>
          <Icon name="send" />
        </button>
      ) : null}
    </>
  );
}
