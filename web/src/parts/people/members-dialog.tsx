import type { JSX } from "preact";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { Members } from "../../app/members.ts";
import { PanelDialog } from "../panel-dialog.tsx";
import { useApp } from "../use-app.ts";

/** Who is in a shared conversation. Owners take people in and out; everybody can go. */
export function MembersDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }): JSX.Element {
  const app = useApp();
  const me = app.me.value?.principal;
  const isOwner = me?.tier === "owner";
  const members = useMemo(() => new Members(id, app.ports.rest), [id]);
  useEffect(() => {
    void members.read();
    if (isOwner) void members.readPeople();
  }, [members, isOwner]);
  const all = members.all.value;
  const remove = async (person: string): Promise<void> => {
    if (!(await members.remove(person))) return;
    if (person !== me?.id || isOwner) return members.read();
    onClose();
    app.leftConversation(id);
  };
  return (
    <PanelDialog title="Members" problem={members.problem.value} onClose={onClose}>
      <p class="quiet">
        Everybody here reads the whole conversation, and writes in their own name and with their own rights.
      </p>
      {all === undefined ? <p class="quiet">Loading…</p> : null}
      <ul class="members">
        {all?.map((member) => (
          <li key={member.id}>
            <bdi>{member.name}</bdi>
            {member.id === me?.id ? <span class="quiet">you</span> : null}
            {member.id === me?.id || isOwner ? (
              <button
                type="button"
                class="text-button"
                aria-label={member.id === me?.id ? "Leave this conversation" : `Take out ${member.name}`}
                onClick={() => void remove(member.id)}
              >
                {member.id === me?.id ? "Leave" : "Take out"}
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {isOwner ? <TakeIn members={members} /> : null}
    </PanelDialog>
  );
}

/** The choice of somebody to take in. */
function TakeIn({ members }: { readonly members: Members }): JSX.Element {
  const [chosen, setChosen] = useState("");
  const field = useId();
  const { candidates } = members;
  const person = candidates.find(({ id }) => id === chosen);
  return (
    <form
      class="take-in"
      onSubmit={(event) => {
        event.preventDefault();
        if (person === undefined) return;
        setChosen("");
        void members.add(person.id);
      }}
    >
      <label for={field}>Take in</label>
      <select id={field} value={person?.id ?? ""} onChange={(event) => setChosen(event.currentTarget.value)}>
        <option value="">{candidates.length === 0 ? "Nobody else is here" : "Choose a person"}</option>
        {candidates.map(({ id, name, tier, identities }) => (
          <option key={id} value={id}>
            {[name, tier, identities[0]?.display ?? ""].filter((word) => word !== "").join(" · ")}
          </option>
        ))}
      </select>
      <button type="submit" class="button small" disabled={person === undefined}>
        Take in
      </button>
      {members.next.value === undefined ? null : (
        <button type="button" class="text-button" onClick={() => void members.readPeople()}>
          More people
        </button>
      )}
    </form>
  );
}
