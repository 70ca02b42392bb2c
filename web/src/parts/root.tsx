import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { LiveRegion } from "./live-region.tsx";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";
import { useApp } from "./use-app.ts";

/** The page: the sign-in when the address asks for it or nobody is signed in, else the chat. */
export function Root({ claim }: { readonly claim: { readonly code: string | undefined } | undefined }): JSX.Element {
  const app = useApp();
  const [isClaiming, setClaiming] = useState(claim !== undefined);
  const isSignedOut =
    app.session.value.status === "signed_out" ||
    (app.chat.value.connection.value.status === "ended" && app.chat.value.connection.value.why === "signed_out");
  return (
    <>
      {isClaiming || isSignedOut ? (
        <SignIn code={claim?.code} isReturning={!isClaiming} onDone={() => setClaiming(false)} />
      ) : (
        <Shell />
      )}
      <LiveRegion />
    </>
  );
}
