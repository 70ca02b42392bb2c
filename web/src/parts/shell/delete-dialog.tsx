import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../dialog.tsx";
import { useApp } from "../use-app.ts";

interface DeleteDialogProps {
  readonly summary: { readonly id: string; readonly title: string };
  readonly onClose: () => void;
}

/** Asks before a conversation is deleted for good. */
export function DeleteDialog({ summary, onClose }: DeleteDialogProps): JSX.Element {
  const app = useApp();
  const [isBusy, setBusy] = useState(false);
  const remove = async (): Promise<void> => {
    setBusy(true);
    await app.deleteConversation(summary.id);
    onClose();
  };
  return (
    <Dialog title="Delete this conversation?" onClose={onClose}>
      <p>
        <bdi>{summary.title === "" ? "The conversation" : `“${summary.title}”`}</bdi> and its files are deleted for
        good. Whatever runs in it is stopped.
      </p>
      <div class="dialog-buttons">
        <button type="button" class="button" autofocus onClick={onClose}>
          Keep it
        </button>
        <button type="button" class="button danger" disabled={isBusy} onClick={() => void remove()}>
          {isBusy ? "Deleting…" : "Delete"}
        </button>
      </div>
    </Dialog>
  );
}
