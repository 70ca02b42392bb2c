import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { BundleImport, ImportState } from "../../app/bundle-import.ts";
import { formatBytes } from "../../state/format.ts";
import { Dialog } from "../dialog.tsx";
import { Problem } from "../problem.tsx";

interface ImportDialogProps {
  readonly imports: BundleImport;
  readonly onClose: () => void;
}

/** Makes a conversation of a file that was exported, here or elsewhere. */
export function ImportDialog({ imports, onClose }: ImportDialogProps): JSX.Element {
  const [file, setFile] = useState<File | undefined>(undefined);
  const state = imports.state.value;
  const isBusy = state.status === "sending" || state.status === "checking";
  return (
    <Dialog title="Import a conversation" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (file !== undefined) void imports.start(file);
        }}
      >
        <p class="quiet">
          A file that “Export to import elsewhere” gave. It becomes a private conversation of yours; nothing of it runs.
        </p>
        <label class="field">
          File
          <input
            type="file"
            accept=".ndjson,application/x-ndjson"
            disabled={isBusy}
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
          />
        </label>
        {isBusy ? <Progress state={state} /> : null}
        <Problem words={state.status === "refused" ? state.words : undefined} />
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={file === undefined || isBusy}>
            {state.status === "refused" ? "Send it again" : "Import"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Progress({ state }: { readonly state: Extract<ImportState, { readonly sent: number }> }): JSX.Element {
  const { status, sent, total } = state;
  return (
    <div class="import-progress">
      <progress aria-label="Sent" max={total} value={sent} />
      <p>
        {status === "checking"
          ? `All ${formatBytes(total)} have left. The server looks at them…`
          : `${formatBytes(sent)} of ${formatBytes(total)} sent`}
      </p>
    </div>
  );
}
