import { claimOwnerCode } from "../../auth/claim.ts";
import { dropSessionCookie, keepSessionCookie, readSessionCookie } from "../../auth/cookie.ts";
import { claimBody, signoutBody } from "../../protocol/rest.ts";
import { revokeSession, revokeSessionsOf } from "../../store/sessions.ts";
import { noContent } from "../answers.ts";
import { notSignedIn, Refuse } from "../refusal.ts";
import { openRoute } from "../route.ts";
import { findPerson } from "./session.ts";

export const claim = openRoute({
  method: "POST",
  path: "/auth/claim",
  summary: "Signs the owner in by a one-time code.",
  body: claimBody,
  answers: { 204: "empty" },
  async handle({ deps, db, now, request, url, body }) {
    const oldSessionId = readSessionCookie(url, request.headers.get("cookie"));
    const claimed = await claimOwnerCode({ db, now, random: deps.random }, { code: body.code, oldSessionId });
    if (!claimed.ok) {
      deps.log("info", { event: "auth.claim_refused", code: claimed.error.code });
      throw new Refuse(claimed.error);
    }
    deps.log("info", { event: "auth.claimed", principal: claimed.value.principalId });
    return noContent(cookieHeader(keepSessionCookie(url, claimed.value.sessionId)));
  },
});

export const signOut = openRoute({
  method: "POST",
  path: "/auth/signout",
  summary: "Ends this session, or with `everywhere` all sessions of the person.",
  body: signoutBody,
  answers: { 204: "empty" },
  async handle(call) {
    const { deps, db, now, url, body } = call;
    // Whoever has a live session may end it, also somebody who may no longer do anything else.
    const person = await findPerson(call);
    if (person === undefined || (person.facts.sessionExpiresAt ?? 0) <= now) throw notSignedIn();
    const { caller } = person;
    const everywhere = body.everywhere === true;
    if (everywhere) await revokeSessionsOf(db, caller.principalId, now);
    else await revokeSession(db, caller.sessionHash, now);
    deps.log("info", { event: "auth.signed_out", principal: caller.principalId, everywhere });
    return noContent(cookieHeader(dropSessionCookie(url)));
  },
});

function cookieHeader(cookie: string | undefined): HeadersInit {
  return cookie === undefined ? {} : { "set-cookie": cookie };
}
