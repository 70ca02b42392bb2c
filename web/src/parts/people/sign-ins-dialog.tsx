import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OwnIdentity } from "../../../../src/protocol/people.ts";
import type { PeopleRest } from "../../net/people-rest.ts";
import type { SignInWay } from "../../net/rest.ts";
import { formatAgo } from "../../state/format.ts";
import { identityLine } from "../../state/identity.ts";
import { PanelDialog } from "../panel-dialog.tsx";
import { Problem } from "../problem.tsx";
import { SureButton } from "../sure-button.tsx";
import { useApp } from "../use-app.ts";
import { useLoaded } from "../use-loaded.ts";
import { EraseForm } from "./erase-form.tsx";
import { IdentityName } from "./identity-name.tsx";
import { LinkCodeForm } from "./link-code-form.tsx";
import { LinkQuestion } from "./link-question.tsx";

interface SignInsDialogProps {
  readonly rest: PeopleRest;
  /** A provider has just vouched for an account. */
  readonly isLinking: boolean;
  readonly onClose: () => void;
}

/** The ways in which a person is recognised here: shown, linked and unlinked. */
export function SignInsDialog({ rest, isLinking, onClose }: SignInsDialogProps): JSX.Element {
  const app = useApp();
  const own = useLoaded(rest.identities);
  const ways = useLoaded(app.ports.rest.ways);
  const [news, setNews] = useState("");
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const unlink = async (identity: string): Promise<void> => {
    const reply = await rest.unlinkOwn(identity);
    setProblem(reply.ok ? undefined : reply.error.message);
    if (reply.ok) setNews("It is unlinked.");
    await own.reload();
  };
  const linked = (): void => {
    setNews("It is linked: you can sign in with it from now on.");
    void own.reload();
  };
  const trouble = problem ?? own.problem;
  return (
    <PanelDialog title="Your sign-ins" className="account-dialog" onClose={onClose}>
      {isLinking ? (
        <PendingLink rest={rest} onLinked={linked} onRefused={() => setNews("Nothing was linked.")} />
      ) : null}
      <p class="news" role="status">
        {news}
      </p>
      <Problem words={trouble} />
      {own.value === undefined ? (
        <p class="quiet">{own.problem === undefined ? "Loading…" : ""}</p>
      ) : (
        <ul class="identities" aria-label="What you can sign in with">
          {own.value.identities.map((identity) => (
            <OwnRow key={identity.id} identity={identity} onUnlink={unlink} />
          ))}
        </ul>
      )}
      <LinkWays ways={ways.value?.providers ?? []} />
      <LinkCodeForm rest={rest} onLinked={linked} />
      <EraseForm
        name={app.me.value?.principal.name ?? "me"}
        look={() => rest.erasure()}
        erase={(digest) => rest.erase(digest)}
        onErased={() => window.location.reload()}
      />
    </PanelDialog>
  );
}

interface PendingLinkProps {
  readonly rest: PeopleRest;
  readonly onLinked: () => void;
  readonly onRefused: () => void;
}

function PendingLink({ rest, onLinked, onRefused }: PendingLinkProps): JSX.Element | null {
  const pending = useLoaded(rest.pending);
  const [isOver, setOver] = useState(false);
  if (isOver) return null;
  const preview = pending.value;
  if (preview === undefined) {
    if (pending.problem === undefined) return <p class="quiet">Loading…</p>;
    return <Problem words="There is no account to link any more. Begin again below." />;
  }
  const link = async (): Promise<string | undefined> => {
    const reply = await rest.linkPending(preview.identity.id);
    if (!reply.ok) return reply.error.message;
    setOver(true);
    onLinked();
    return undefined;
  };
  const refuse = async (): Promise<void> => {
    await rest.refusePending();
    setOver(true);
    onRefused();
  };
  return <LinkQuestion preview={preview} onLink={link} onRefuse={() => void refuse()} />;
}

interface OwnRowProps {
  readonly identity: OwnIdentity;
  readonly onUnlink: (id: string) => Promise<void>;
}

function OwnRow({ identity, onUnlink }: OwnRowProps): JSX.Element {
  const app = useApp();
  const { id, display, current, linkedAt, lastSeenAt } = identity;
  const now = app.ports.nowMs();
  const line = identityLine(id, display);
  return (
    <li>
      <IdentityName id={id} display={display} />
      <span class="quiet">
        {current ? "You are signed in with this one" : `Linked ${formatAgo(linkedAt, now)}`}
        {lastSeenAt === undefined || current ? "" : `, last used ${formatAgo(lastSeenAt, now)}`}
      </span>
      {current ? null : (
        <SureButton
          label="Unlink"
          about={line}
          question={`Unlink ${line}? Whoever signs in with it is not you any more.`}
          isDangerous
          act={() => onUnlink(id)}
        />
      )}
    </li>
  );
}

/** A link for each provider: the browser goes there, and comes back to be asked. */
function LinkWays({ ways }: { readonly ways: readonly SignInWay[] }): JSX.Element | null {
  if (ways.length === 0) return null;
  const here = encodeURIComponent(window.location.pathname);
  return (
    <nav class="link-ways" aria-label="Link another account">
      {ways.map(({ name, label }) => (
        <a key={name} class="button" href={`/auth/${encodeURIComponent(name)}/start?intent=link&return=${here}`}>
          Link with {label}
        </a>
      ))}
    </nav>
  );
}
