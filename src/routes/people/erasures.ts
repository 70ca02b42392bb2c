import type * as z from "zod";
import { ulid } from "../../lib/ulid.ts";
import { principalOf } from "../../objects/principal/principal-rpc.ts";
import { confirmErasure, previewErasure } from "../../people/erase-person.ts";
import { FRESH_SIGN_IN_MS, isFreshSignIn } from "../../people/session-life.ts";
import {
  eraseBody,
  erasurePreviewShape,
  type erasureShape,
  erasuresQuery,
  erasuresShape,
} from "../../protocol/erasures.ts";
import { type ErasureRow, listErasures } from "../../store/erasures.ts";
import { readNames } from "../../store/names.ts";
import { readPersonRow } from "../../store/person.ts";
import { json } from "../answers.ts";
import { Refuse } from "../refusal.ts";
import { type SignedInCall, signedInRoute } from "../route.ts";
import { nothing } from "../shapes.ts";
import { placeOf, requireOwner } from "./people.ts";

/** What outlives a person, in words for whoever confirms. */
const KEEPS: readonly string[] = [
  "A row without a name, so that the audit's ids go on meaning somebody.",
  "The audits of people and of calls: ids and decisions, no words. Identities that were linked or unlinked stand there.",
  "Conversations that others forked from shared ones before: their copies are theirs.",
  "What others said about this person, and names in results of calls that this person approved for others.",
];

export const erasures = signedInRoute({
  method: "GET",
  path: "/api/v1/people/erasures",
  summary: "Who was erased, and what is left of them in each store; newest first, for owners.",
  query: erasuresQuery,
  answers: { 200: erasuresShape },
  async handle(call) {
    requireOwner(call);
    const { limit, before } = call.query;
    const found = await listErasures(call.db, {
      limit: limit + 1,
      after: before === undefined ? undefined : placeOf(before),
    });
    const last = found.length > limit ? found[limit - 1] : undefined;
    return json({
      erasures: found.slice(0, limit).map(showErasure),
      names: await readNames(call.db, [...new Set(found.map(({ orderedBy }) => orderedBy))]),
      ...(last && { next: `${last.begunAt}.${last.person}` }),
    });
  },
});

export const erasurePreview = signedInRoute({
  method: "GET",
  path: "/api/v1/people/:person/erase",
  summary: "What erasing a person would take away, for owners. Changes nothing.",
  query: nothing,
  answers: { 200: erasurePreviewShape },
  async handle(call) {
    requireOwner(call);
    return json(await preview(call, call.param("person")));
  },
});

export const erasePerson = signedInRoute({
  method: "POST",
  path: "/api/v1/people/:person/erase",
  summary: "Erases a person for good, as previewed; for owners. They are shut out at once, the rest follows.",
  body: eraseBody,
  answers: { 202: nothing },
  async handle(call) {
    requireOwner(call);
    return await erase(call, call.param("person"), call.body.digest);
  },
});

export const ownErasurePreview = signedInRoute({
  method: "GET",
  path: "/api/v1/me/erase",
  summary: "What erasing oneself would take away. Changes nothing.",
  query: nothing,
  answers: { 200: erasurePreviewShape },
  handle: async (call) => json(await preview(call, call.caller.principalId)),
});

export const eraseOneself = signedInRoute({
  method: "POST",
  path: "/api/v1/me/erase",
  summary: "Erases oneself for good, as previewed, within ten minutes of signing in.",
  body: eraseBody,
  answers: { 202: nothing },
  async handle(call) {
    const { db, caller, now } = call;
    const session = (await readPersonRow(db, caller))?.session ?? null;
    if (!isFreshSignIn(session, now)) {
      const minutes = FRESH_SIGN_IN_MS / 60_000;
      const message = `For this you must have signed in within the last ${minutes} minutes. Sign out, sign in again, and repeat it.`;
      throw new Refuse({ code: "forbidden", message });
    }
    return await erase(call, caller.principalId, call.body.digest);
  },
});

async function preview(
  { db, env }: SignedInCall<unknown, unknown>,
  target: string,
): Promise<z.output<typeof erasurePreviewShape>> {
  const found = await previewErasure(db, target, () => principalOf(env, target).holdings());
  if (!found.ok) throw new Refuse(found.error);
  const { person, digest } = found.value;
  const stores = found.value.found.map(({ store, found: n }) => ({ store, found: n }));
  return { person, stores, keeps: [...KEEPS], digest };
}

async function erase(call: SignedInCall<unknown, unknown>, target: string, digest: string): Promise<Response> {
  const { db, env, now, deps, caller, person } = call;
  const object = principalOf(env, target);
  const confirmed = await confirmErasure(db, { target, digest }, () => object.holdings());
  if (!confirmed.ok) throw new Refuse(confirmed.error);
  const begun = await object.erase({
    id: ulid(now, deps.random),
    person: target,
    by: caller.principalId,
    tier: person.tier,
    found: confirmed.value.found,
  });
  if (!begun.ok) throw new Refuse(begun.error);
  deps.log("info", { event: "people.erased", actor: caller.principalId, target });
  return json({}, 202);
}

function showErasure({ person, orderedBy, begunAt, finishedAt, receipt }: ErasureRow): z.output<typeof erasureShape> {
  return {
    person,
    orderedBy,
    begunAt,
    ...(finishedAt !== null && { finishedAt }),
    receipt: receipt.map(({ store, found, left }) => ({ store, found, ...(left !== null && { left }) })),
  };
}
