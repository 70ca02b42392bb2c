import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Invitation } from "../../app/account.ts";
import type { SignInWay } from "../../net/rest.ts";
import { Mark } from "../icons.tsx";
import { Problem } from "../problem.tsx";
import { useApp } from "../use-app.ts";

interface SignInProps {
  /** A code that came in the address; it is used at once. */
  readonly code: string | undefined;
  /** What became of a provider's sign-in that came to nothing. */
  readonly news: string | undefined;
  /** The person was here before and lost the session. */
  readonly isReturning: boolean;
  readonly onDone: () => void;
}

/** Signs people in: by a provider where the deployment has one, the owner by a one-time code. */
export function SignIn({ code, news, isReturning, onDone }: SignInProps): JSX.Element {
  const app = useApp();
  const [isBusy, setBusy] = useState(code !== undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [ways, setWays] = useState<readonly SignInWay[] | undefined>(undefined);

  const claim = async (value: string): Promise<void> => {
    if (value === "") return setProblem("Paste the code first.");
    setBusy(true);
    setProblem(undefined);
    const refusal = await app.claim(value);
    setBusy(false);
    if (refusal !== undefined) return setProblem(refusal);
    await app.enter();
    onDone();
  };
  useEffect(() => {
    if (code !== undefined) void claim(code);
    // Without an answer the code remains: it needs no provider.
    void app.ports.rest.ways().then((reply) => reply.ok && setWays(reply.value.providers));
  }, []);
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <Mark size={44} />
        <h1>{isReturning ? "You are signed out" : "Sign in"}</h1>
        <Problem words={news} />
        <InvitationNote invitation={app.account.invitation.value} hasWays={ways?.length !== 0} />
        <Ways ways={app.account.invitation.value?.status === "taking" ? [] : (ways ?? [])} />
        {code !== undefined && isBusy ? (
          <p class="quiet">Signing you in…</p>
        ) : (
          <CodeForm isBusy={isBusy} problem={problem} onCode={(value) => void claim(value)} />
        )}
      </div>
    </main>
  );
}

interface InvitationNoteProps {
  readonly invitation: Invitation | undefined;
  readonly hasWays: boolean;
}

/** What became of an invitation that was followed. */
function InvitationNote({ invitation, hasWays }: InvitationNoteProps): JSX.Element | null {
  if (invitation === undefined) return null;
  if (invitation.status === "refused") {
    return <Problem words={`This link is no invitation: ${invitation.words}`} />;
  }
  const words = hasWays
    ? "You are invited. Sign in within ten minutes, and you are let in."
    : "You are invited, but this server has no provider to sign in with yet. Tell its owner.";
  return <p role="status">{invitation.status === "taking" ? "Looking at your invitation…" : words}</p>;
}

/** A link for each provider: the browser itself goes there and comes back. */
function Ways({ ways }: { readonly ways: readonly SignInWay[] }): JSX.Element | null {
  if (ways.length === 0) return null;
  const here = window.location.pathname.startsWith("/chat") ? window.location.pathname : "/chat";
  return (
    <nav class="sign-in-ways" aria-label="Ways to sign in">
      {ways.map(({ name, label }) => (
        <a
          key={name}
          class="button primary"
          href={`/auth/${encodeURIComponent(name)}/start?return=${encodeURIComponent(here)}`}
        >
          Sign in with {label}
        </a>
      ))}
      <p class="quiet">or, as the owner:</p>
    </nav>
  );
}

interface CodeFormProps {
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  readonly onCode: (code: string) => void;
}

function CodeForm({ isBusy, problem, onCode }: CodeFormProps): JSX.Element {
  const [text, setText] = useState("");
  return (
    <form
      aria-busy={isBusy}
      onSubmit={(event) => {
        event.preventDefault();
        onCode(text.trim());
      }}
    >
      <p class="quiet">
        Paste the one-time code. <code>npm start</code> prints one, and <code>npm run owner:code</code> makes another.
      </p>
      <label class="field">
        One-time code
        <input
          name="code"
          type="text"
          value={text}
          autocomplete="one-time-code"
          autocapitalize="off"
          spellcheck={false}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : "sign-in-problem"}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <Problem id="sign-in-problem" words={problem} />
      <button type="submit" class="button primary" disabled={isBusy}>
        {isBusy ? "Signing in…" : "Sign in"}
      </button>
    </form>
  );
}
