import { confirmLinkCode, previewLinkCode } from "../auth/link-code.ts";
import type { Result } from "../lib/result.ts";
import { ulid } from "../lib/ulid.ts";
import { unlinkOwn } from "../people/change-person.ts";
import type { Refused } from "../people/may-act.ts";
import { confirmLinkBody, linkCodeBody, linkPreviewShape, ownIdentitiesShape, unlinkBody } from "../protocol/people.ts";
import { readPersonRecord } from "../store/people.ts";
import { json, noContent } from "./answers.ts";
import { showIdentity } from "./people.ts";
import { Refuse } from "./refusal.ts";
import { signedInRoute } from "./route.ts";

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

function orRefuse<T>(result: Result<T, Refused>): T {
  if (!result.ok) throw new Refuse(result.error);
  return result.value;
}
