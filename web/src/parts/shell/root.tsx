import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { LiveRegion } from "../live-region.tsx";
import { SignIn } from "../people/sign-in.tsx";
import { useApp } from "../use-app.ts";
import { Shell } from "./shell.tsx";

/** What the address asks for: a sign-in, with a code where it brought one along. */
export type Claim = { readonly code: string | undefined } | undefined;

/** The page: the sign-in when the address asks for it or nobody is signed in, else the chat. */
export function Root({
  claim,
  news,
}: {
  readonly claim: Signal<Claim>;
  readonly news: string | undefined;
}): JSX.Element {
  const app = useApp();
  const connection = app.chat.value.connection.value;
  const isSignedOut =
    app.session.value.status === "signed_out" || (connection.status === "ended" && connection.why === "signed_out");
  const asked = claim.value;
  const done = (): void => {
    claim.value = undefined;
  };
  return (
    <>
      {asked !== undefined || isSignedOut ? (
        <SignIn key={asked?.code} code={asked?.code} news={news} isReturning={asked === undefined} onDone={done} />
      ) : (
        <Shell />
      )}
      <LiveRegion />
    </>
  );
}
