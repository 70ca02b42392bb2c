import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { GivenTier, Invited } from "../../../../src/protocol/people.ts";
import type { PeopleRest } from "../../net/people-rest.ts";
import { formatAgo, formatDate } from "../../state/format.ts";
import { invitationLink } from "../../state/route.ts";
import { copyText } from "../copy-text.ts";
import { Problem } from "../problem.tsx";
import { SureButton } from "../sure-button.tsx";
import { useApp } from "../use-app.ts";
import { useLoaded } from "../use-loaded.ts";
import { GIVEN_TIERS } from "./tier-choice.tsx";

/** Invitations: made, handed on as a link, and taken back while they are open. */
export function InvitationList({ rest }: { readonly rest: PeopleRest }): JSX.Element {
  const app = useApp();
  const open = useLoaded(rest.invitations);
  const [made, setMade] = useState<Invited | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const invite = async (tier: GivenTier): Promise<void> => {
    const reply = await rest.invite(tier);
    setProblem(reply.ok ? undefined : reply.error.message);
    if (reply.ok) setMade(reply.value);
    await open.reload();
  };
  const takeBack = async (id: string): Promise<void> => {
    const reply = await rest.takeBack(id);
    setProblem(reply.ok ? undefined : reply.error.message);
    if (made?.id === id) setMade(undefined);
    await open.reload();
  };
  const trouble = problem ?? open.problem;
  const now = app.ports.nowMs();
  return (
    <>
      <InviteForm onInvite={invite} />
      <Problem words={trouble} />
      {made === undefined ? null : <MadeInvitation key={made.id} made={made} />}
      {open.value?.invitations.length === 0 ? <p class="quiet">No invitation is open.</p> : null}
      <ul class="identities" aria-label="Open invitations">
        {(open.value?.invitations ?? []).map((each) => (
          <li key={each.id}>
            <span>
              As {each.tier}
              <span class="quiet">
                , made {formatAgo(each.createdAt, now)}, good until {formatDate(each.expiresAt)}
              </span>
            </span>
            <SureButton
              label="Take back"
              about={`invitation as ${each.tier}, made ${formatAgo(each.createdAt, now)}`}
              question="Take this invitation back? Its link is worth nothing then."
              isDangerous
              act={() => takeBack(each.id)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

function InviteForm({ onInvite }: { readonly onInvite: (tier: GivenTier) => Promise<void> }): JSX.Element {
  const [tier, setTier] = useState<GivenTier>("member");
  return (
    <form
      class="invite-form"
      onSubmit={(event) => {
        event.preventDefault();
        void onInvite(tier);
      }}
    >
      <label>
        Invite somebody as
        <select value={tier} onChange={(event) => setTier(event.currentTarget.value as GivenTier)}>
          {GIVEN_TIERS.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="button">
        Make an invitation
      </button>
    </form>
  );
}

/** The link of a new invitation. Nobody can show it again: only a hash of it is stored. */
function MadeInvitation({ made }: { readonly made: Invited }): JSX.Element {
  const [copied, setCopied] = useState("");
  const link = invitationLink(window.location.origin, made.code);
  const copy = async (): Promise<void> => {
    setCopied((await copyText(link)) ? "Copied." : "Copy it from the field.");
  };
  return (
    <section class="link-question" aria-label="The new invitation">
      <label class="field">
        Link for one person, good once and until {formatDate(made.expiresAt)}. It is shown only now.
        <input type="text" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <div class="dialog-buttons">
        <span role="status">{copied}</span>
        <button type="button" class="button primary" onClick={() => void copy()}>
          Copy the link
        </button>
      </div>
    </section>
  );
}
