import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PeopleRest } from "../../net/people-rest.ts";
import { PanelDialog } from "../panel-dialog.tsx";
import { ErasureList } from "./erasure-list.tsx";
import { InvitationList } from "./invitation-list.tsx";
import { PeopleChanges } from "./people-changes.tsx";
import { PeopleList } from "./people-list.tsx";

const PAGES = [
  ["people", "Everybody"],
  ["invitations", "Invitations"],
  ["changes", "Changes"],
  ["erased", "Erased"],
] as const;

/** For owners: who is here, who is invited, and what was changed. The server checks the tier of each call. */
export function PeopleDialog({
  rest,
  onClose,
}: {
  readonly rest: PeopleRest;
  readonly onClose: () => void;
}): JSX.Element {
  const [page, setPage] = useState<(typeof PAGES)[number][0]>("people");
  return (
    <PanelDialog title="People" className="wide account-dialog" onClose={onClose}>
      <div class="page-choice" role="group" aria-label="What to show">
        {PAGES.map(([name, words]) => (
          <button
            key={name}
            type="button"
            class="button small"
            aria-pressed={page === name}
            onClick={() => setPage(name)}
          >
            {words}
          </button>
        ))}
      </div>
      {page === "people" ? <PeopleList rest={rest} /> : null}
      {page === "invitations" ? <InvitationList rest={rest} /> : null}
      {page === "erased" ? <ErasureList rest={rest} /> : null}
      {page === "changes" ? <PeopleChanges rest={rest} /> : null}
    </PanelDialog>
  );
}
