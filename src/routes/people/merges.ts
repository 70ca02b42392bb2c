import type * as z from "zod";
import { OWNER_IDENTITY } from "../../auth/owner-code.ts";
import { ulid } from "../../lib/ulid.ts";
import { principalOf } from "../../objects/principal/principal-rpc.ts";
import { CHANGED } from "../../people/change-person.ts";
import { type MergePreview, previewMerge } from "../../people/merge-person.ts";
import { mergeBody, mergeChangedShape, mergePreviewShape, mergeQuery } from "../../protocol/merges.ts";
import { json } from "../answers.ts";
import { Refuse } from "../refusal.ts";
import { type SignedInCall, signedInRoute } from "../route.ts";
import { nothing } from "../shapes.ts";
import { requireOwner } from "./people.ts";

/** What becomes of two people, in words for whoever confirms. */
const BECOMES: readonly string[] = [
  "It cannot be undone: two people who are one stay one.",
  "Name and tier are those of whoever stays. What the other had allowed counts for no more than both tiers do.",
  "The other's sign-ins lead to whoever stays; their sessions, access tokens, codes and open invitations end.",
  "Conversations, notices, what was spent and what waits for an answer are those of whoever stays.",
  "What was said and decided keeps the other's id, in transcripts and audits.",
];

export const mergePreview = signedInRoute({
  method: "GET",
  path: "/api/v1/people/:person/merge",
  summary: "What making a person one with another would move, for owners. Changes nothing.",
  query: mergeQuery,
  answers: { 200: mergePreviewShape },
  async handle(call) {
    requireOwner(call);
    return json(show(await preview(call, call.query.into)));
  },
});

export const mergePerson = signedInRoute({
  method: "POST",
  path: "/api/v1/people/:person/merge",
  summary:
    "Makes a person one with another for good, as previewed; for owners. The directory says so at once, the rest follows.",
  body: mergeBody,
  answers: { 202: nothing, 409: mergeChangedShape },
  async handle(call) {
    requireOwner(call);
    const { now, deps, env, caller, body } = call;
    const found = await preview(call, body.into);
    if (found.digest !== body.digest) return json({ error: CHANGED, preview: show(found) }, 409);
    const { person, into } = found;
    const begun = await principalOf(env, person.id).merge({
      id: ulid(now, deps.random),
      person: person.id,
      into: into.id,
      by: caller.principalId,
      seen: { person: person.tier, survivor: into.tier },
    });
    if (!begun.ok) throw new Refuse(begun.error);
    deps.log("info", { event: "people.merged", actor: caller.principalId, target: person.id, into: into.id });
    return json({}, 202);
  },
});

async function preview(call: SignedInCall<unknown, unknown>, into: string): Promise<MergePreview> {
  const { db, env, deps } = call;
  const person = call.param("person");
  const rules = { configured: deps.config.people.owners, byCode: OWNER_IDENTITY };
  const found = await previewMerge(db, { person, into }, rules, () => principalOf(env, person).holdings());
  if (!found.ok) throw new Refuse(found.error);
  return found.value;
}

function show(preview: MergePreview): z.output<typeof mergePreviewShape> {
  return { ...preview, stores: [...preview.stores], becomes: [...BECOMES] };
}
