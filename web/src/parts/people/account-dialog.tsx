import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { AccountPanel } from "../../app/account.ts";
import { createPeopleRest } from "../../net/people-rest.ts";
import { useApp } from "../use-app.ts";
import { PeopleDialog } from "./people-dialog.tsx";
import { SignInsDialog } from "./sign-ins-dialog.tsx";
import "../../style/account.css";

interface AccountDialogProps {
  readonly panel: AccountPanel;
  readonly onClose: () => void;
}

/** One's own sign-ins, or the people here. */
export function AccountDialog({ panel, onClose }: AccountDialogProps): JSX.Element {
  const app = useApp();
  const [rest] = useState(() => createPeopleRest(app.ports.rest.call));
  return panel === "people" ? (
    <PeopleDialog rest={rest} onClose={onClose} />
  ) : (
    <SignInsDialog rest={rest} isLinking={panel === "link"} onClose={onClose} />
  );
}
