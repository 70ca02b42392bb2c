import type { ComponentChildren, JSX } from "preact";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";

interface PanelDialogProps {
  readonly title: string;
  readonly className?: string;
  /** What went wrong last: it stands below the content, where the button is. */
  readonly problem?: string | undefined;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}

/** A dialog that shows something and asks nothing of its own: its one button closes it. */
export function PanelDialog({ title, className = "", problem, children, onClose }: PanelDialogProps): JSX.Element {
  return (
    <Dialog title={title} className={className} onClose={onClose}>
      {children}
      <Problem words={problem} />
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
