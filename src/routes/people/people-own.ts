import type * as z from "zod";
import { readCookie, writeCookie } from "../../auth/cookie.ts";
import { confirmLinkCode, linkProven, previewLinkCode } from "../../auth/link-code.ts";
import { pendingLinkShape } from "../../auth/transaction.ts";
import type { Result } from "../../lib/result.ts";
import { ulid } from "../../lib/ulid.ts";
import { unlinkOwn } from "../../people/change-person.ts";
import type { Refused } from "../../people/may-act.ts";
import {
  confirmLinkBody,
  confirmPendingBody,
  linkCodeBody,
  linkPreviewShape,
  ownIdentitiesShape,
  unlinkBody,
} from "../../protocol/people.ts";
import { readPersonRecord } from "../../store/people.ts";
import { json, noContent } from "../answers.ts";
import { notFound, Refuse } from "../refusal.ts";
import { type SignedInCall, signedInRoute } from "../route.ts";
import { showIdentity } from "./people.ts";
import { sealer } from "./sign-in.ts";

export const ownIdentities = signedInRoute({
  method: "GET",
  path: "/api/v1/me/identities",
  summary: "The ways in which this person is recognised.",
  answers: { 200: ownIdentitiesShape },
  async handle({ db, caller }) {
    const person = await readPersonRecord(db, caller.principalId);
    const own = person?.identities ?? [];
    return json({ identities: own.map((row) => ({ ...showIdentity(row), current: row.id === caller.identity })) });
  },
});

export const unlinkOwnIdentity = signedInRoute({
  method: "POST",
  path: "/api/v1/me/identities/unlink",
  summary: "Unlinks an identity of this person, except the one they are signed in with.",
  body: unlinkBody,
  answers: { 204: "empty" },
  async handle({ db, now, deps, caller, body }) {
    orRefuse(await unlinkOwn({ db, now, id: ulid(now, deps.random) }, caller, body.identity));
    return noContent();
  },
});

export const linkCode = signedInRoute({
  method: "POST",
  path: "/api/v1/me/link-codes",
  summary: "What a code that another surface showed would link, and to whom. Links nothing.",
  body: linkCodeBody,
  answers: { 200: linkPreviewShape },
  async handle({ db, now, caller, person, body }) {
    const identity = orRefuse(await previewLinkCode({ db, now }, caller, body.code));
    return json({ identity, to: { name: person.name, identity: caller.identity } });
  },
});

export const confirmLink = signedInRoute({
  method: "POST",
  path: "/api/v1/me/link-codes/confirm",
  summary: "Links the identity that was shown for the code.",
  body: confirmLinkBody,
  answers: { 204: "empty" },
  async handle({ db, now, deps, caller, body }) {
    orRefuse(await confirmLinkCode({ db, now, id: ulid(now, deps.random) }, caller, body));
    return noContent();
  },
});

export const pendingLink = signedInRoute({
  method: "GET",
  path: "/api/v1/me/identities/pending",
  summary: "The identity that a provider has just vouched for, and to whom it would be linked.",
  answers: { 200: linkPreviewShape },
  async handle(call) {
    const { id, display } = await readPending(call);
    return json({ identity: { id, display }, to: { name: call.person.name, identity: call.caller.identity } });
  },
});

export const confirmPendingLink = signedInRoute({
  method: "POST",
  path: "/api/v1/me/identities/pending",
  summary: "Links the identity that a provider has just vouched for.",
  body: confirmPendingBody,
  answers: { 204: "empty" },
  async handle(call) {
    const { db, now, deps, caller, url, body } = call;
    const { id, display } = await readPending(call);
    if (id !== body.identity) throw notFound();
    orRefuse(await linkProven({ db, now, id: ulid(now, deps.random) }, caller, { id, display }));
    const cookie = writeCookie(url, "link", "", 0);
    return noContent(cookie === undefined ? {} : { "set-cookie": cookie });
  },
});

export const refusePendingLink = signedInRoute({
  method: "DELETE",
  path: "/api/v1/me/identities/pending",
  summary: "Forgets the identity that a provider has just vouched for. Links nothing.",
  answers: { 204: "empty" },
  async handle({ url }) {
    const cookie = writeCookie(url, "link", "", 0);
    return noContent(cookie === undefined ? {} : { "set-cookie": cookie });
  },
});

/** The identity that this very session has proven, as its browser keeps it sealed. */
async function readPending(call: SignedInCall<unknown, unknown>): Promise<z.output<typeof pendingLinkShape>> {
  const sealed = readCookie(call.url, call.request.headers.get("cookie"), "link") ?? "";
  const pending = await sealer(call, sealed)?.links.open(sealed, pendingLinkShape, call.now);
  if (pending?.session !== call.caller.sessionHash) throw notFound();
  return pending;
}

function orRefuse<T>(result: Result<T, Refused>): T {
  if (!result.ok) throw new Refuse(result.error);
  return result.value;
}
