import type * as z from "zod";
import { ulid } from "../../lib/ulid.ts";
import { changePerson } from "../../people/change-person.ts";
import { mayManagePeople } from "../../people/may-manage.ts";
import { isStale } from "../../people/stale.ts";
import {
  type auditLineShape,
  auditShape,
  type identityShape,
  peoplePageQuery,
  peopleShape,
  type personShape,
  tierBody,
  unlinkBody,
} from "../../protocol/people.ts";
import { type IdentityRow, listPeople, type PersonRecord } from "../../store/people.ts";
import { listAudit, type NamedAuditRow } from "../../store/people-audit.ts";
import type { PersonChange } from "../../store/person-changes.ts";
import { json, noContent } from "../answers.ts";
import { notFound, Refuse } from "../refusal.ts";
import { type SignedInCall, signedInRoute } from "../route.ts";
import { nothing } from "../shapes.ts";

export const people = signedInRoute({
  method: "GET",
  path: "/api/v1/people",
  summary: "Everybody who was admitted, for owners.",
  query: peoplePageQuery,
  answers: { 200: peopleShape },
  async handle(call) {
    requireOwner(call);
    const { limit, before } = call.query;
    const found = await listPeople(call.db, { limit: limit + 1, after: before });
    const page = found.slice(0, limit);
    const next = found.length > limit ? page.at(-1)?.id : undefined;
    return json({ people: page.map((person) => showPerson(person, call.now)), ...(next !== undefined && { next }) });
  },
});

export const peopleAuditLines = signedInRoute({
  method: "GET",
  path: "/api/v1/people/audit",
  summary: "What was changed about people, newest first, for owners.",
  query: peoplePageQuery,
  answers: { 200: auditShape },
  async handle(call) {
    requireOwner(call);
    const { limit, before } = call.query;
    const found = await listAudit(call.db, {
      limit: limit + 1,
      after: before === undefined ? undefined : placeOf(before),
    });
    const lines = found.slice(0, limit);
    const last = found.length > limit ? lines.at(-1) : undefined;
    return json({ lines: lines.map(showLine), ...(last && { next: `${last.at}.${last.id}` }) });
  },
});

export const setTier = signedInRoute({
  method: "POST",
  path: "/api/v1/people/:person/tier",
  summary: "Sets a person's tier, up to admin; for owners.",
  body: tierBody,
  answers: { 204: "empty" },
  handle: (call) => change(call, { kind: "tier", tier: call.body.tier }),
});

export const disablePerson = signedInRoute({
  method: "POST",
  path: "/api/v1/people/:person/disable",
  summary: "Switches a person off and ends their sessions; for owners.",
  body: nothing,
  answers: { 204: "empty" },
  handle: (call) => change(call, { kind: "disable" }),
});

export const enablePerson = signedInRoute({
  method: "POST",
  path: "/api/v1/people/:person/enable",
  summary: "Switches a person on again; for owners.",
  body: nothing,
  answers: { 204: "empty" },
  handle: (call) => change(call, { kind: "enable" }),
});

export const unlinkIdentity = signedInRoute({
  method: "POST",
  path: "/api/v1/people/:person/unlink",
  summary: "Unlinks an identity of a person and ends its sessions; for owners.",
  body: unlinkBody,
  answers: { 204: "empty" },
  handle: (call) => change(call, { kind: "unlink", identity: call.body.identity }),
});

async function change(call: SignedInCall<unknown, unknown>, what: PersonChange): Promise<Response> {
  requireOwner(call);
  const { db, now, deps, caller } = call;
  const target = call.param("person");
  const changed = await changePerson({ db, now, id: ulid(now, deps.random) }, caller.principalId, target, what);
  if (!changed.ok) throw new Refuse(changed.error);
  deps.log("info", { event: "people.changed", actor: caller.principalId, target, change: what.kind });
  return noContent();
}

export function requireOwner({ person, now }: SignedInCall<unknown, unknown>): void {
  const verdict = mayManagePeople(person, now);
  if (!verdict.ok) throw new Refuse(verdict.error);
}

function showPerson(person: PersonRecord, now: number): z.output<typeof personShape> {
  const { id, name, tier, createdAt, lastSeenAt, disabledAt, erasedAt, mergedInto } = person;
  return {
    id,
    name,
    tier,
    createdAt,
    ...(lastSeenAt !== null && { lastSeenAt }),
    ...(disabledAt !== null && { disabledAt }),
    ...(erasedAt !== null && { erasedAt }),
    ...(mergedInto && { mergedInto: showSurvivor(mergedInto) }),
    stale: isStale(lastSeenAt, now),
    identities: person.identities.map(showIdentity),
  };
}

function showSurvivor({ survivor, name, mergedAt, finishedAt }: NonNullable<PersonRecord["mergedInto"]>) {
  return { id: survivor, name, at: mergedAt, ...(finishedAt !== null && { finishedAt }) };
}

export function showIdentity({ id, display, linkedAt, lastSeenAt }: IdentityRow): z.output<typeof identityShape> {
  return { id, display, linkedAt, ...(lastSeenAt !== null && { lastSeenAt }) };
}

function showLine({ actorName, targetName, intoName, ...line }: NamedAuditRow): z.output<typeof auditLineShape> {
  return {
    ...line,
    ...(actorName !== null && { actorName }),
    ...(targetName !== null && { targetName }),
    ...(intoName !== null && { intoName }),
  };
}

/** A place in the audit, as `next` wrote it. */
export function placeOf(cursor: string): { readonly at: number; readonly id: string } {
  const [, at, id] = /^(\d{1,15})\.(\w{26,64})$/.exec(cursor) ?? [];
  if (at === undefined || id === undefined) throw notFound();
  return { at: Number(at), id };
}
