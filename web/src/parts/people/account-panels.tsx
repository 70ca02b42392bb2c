import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useApp } from "../use-app.ts";
import type { AccountDialog } from "./account-dialog.tsx";

/** The dialogs about people, loaded when the first of them is asked for. */
export function AccountPanels(): JSX.Element | null {
  const app = useApp();
  const [Loaded, setLoaded] = useState<typeof AccountDialog | undefined>(undefined);
  const { panel, invitation } = app.account;
  const wanted = panel.value;
  const brought = invitation.value;
  const isHere = app.me.value !== undefined;
  useEffect(() => {
    if (wanted === undefined || Loaded !== undefined) return;
    import("./account-dialog.tsx").then(
      (module) => setLoaded(() => module.AccountDialog),
      () => {
        panel.value = undefined;
        app.notices.problem("This part of the page could not be loaded. Reload the page, then try again.");
      },
    );
  }, [wanted]);
  useEffect(() => {
    if (!isHere || brought === undefined || brought.status === "taking") return;
    invitation.value = undefined;
    app.notices.info("You are signed in already. The invitation is for somebody new.");
  }, [isHere, brought]);
  if (wanted === undefined || Loaded === undefined) return null;
  return <Loaded panel={wanted} onClose={() => (panel.value = undefined)} />;
}
