import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { MAX_TITLE_UNITS } from "../../../../src/protocol/limits.ts";
import { Dialog } from "../dialog.tsx";
import { Problem } from "../problem.tsx";
import { useApp } from "../use-app.ts";

interface RenameDialogProps {
  readonly summary: { readonly id: string; readonly title: string };
  readonly onClose: () => void;
}

export function RenameDialog({ summary, onClose }: RenameDialogProps): JSX.Element {
  const app = useApp();
  const [title, setTitle] = useState(summary.title);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const rename = async (): Promise<void> => {
    const refusal = await app.list.rename(summary.id, title.trim());
    if (refusal === undefined) onClose();
    else setProblem(refusal.message);
  };
  return (
    <Dialog title="Rename the conversation" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void rename();
        }}
      >
        <label class="field">
          Title
          <input
            type="text"
            required
            maxLength={MAX_TITLE_UNITS}
            value={title}
            onInput={(event) => setTitle(event.currentTarget.value)}
          />
        </label>
        <Problem words={problem} />
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={title.trim() === ""}>
            Rename
          </button>
        </div>
      </form>
    </Dialog>
  );
}
