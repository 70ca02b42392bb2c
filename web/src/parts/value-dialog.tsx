import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Reply } from "../net/rest.ts";
import { PanelDialog } from "./panel-dialog.tsx";

interface ValueDialogProps {
  readonly name: string;
  readonly load: () => Reply<{ readonly value: string }>;
  /** The whole value is on the screen. */
  readonly onLoaded: () => void;
  readonly onClose: () => void;
}

/** One argument of a card, whole. */
export function ValueDialog({ name, load, onLoaded, onClose }: ValueDialogProps): JSX.Element {
  const [value, setValue] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  useEffect(() => {
    void load().then((reply) => {
      if (!reply.ok) return setProblem(reply.error.message);
      setValue(reply.value.value);
      onLoaded();
    });
  }, []);
  return (
    <PanelDialog title={name} className="wide" problem={problem} onClose={onClose}>
      {value === undefined && problem === undefined ? <p class="quiet">Loading…</p> : null}
      {value === undefined ? null : (
        <pre class="whole-value" tabIndex={0}>
          {value}
        </pre>
      )}
    </PanelDialog>
  );
}
