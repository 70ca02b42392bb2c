import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useApp } from "../use-app.ts";

type AuditDialog = ComponentType<{ readonly onClose: () => void }>;

/** Opens the list of decisions when the address asks for it. Few ever do: it is loaded then. */
export function AuditDoor(): JSX.Element | null {
  const app = useApp();
  const [loaded, setLoaded] = useState<{ readonly Dialog: AuditDialog } | undefined>(undefined);
  const isOpen = app.panel.value === "audit";
  const close = (): void => {
    window.history.replaceState(null, "", window.location.pathname);
    app.panel.value = undefined;
  };
  useEffect(() => {
    if (!isOpen || loaded !== undefined) return;
    import("./audit-dialog.tsx").then(
      ({ AuditDialog }) => setLoaded({ Dialog: AuditDialog }),
      () => {
        close();
        app.notices.problem("The list of decisions could not be loaded. Try again.");
      },
    );
  }, [isOpen]);
  return isOpen && loaded !== undefined ? <loaded.Dialog onClose={close} /> : null;
}
