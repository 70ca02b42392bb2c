import type { Database } from "../store/database.ts";
import {
  type PersonRow,
  readPersonOfIdentity,
  readPersonOfSession,
  readPersonRow,
  readStandingRow,
} from "../store/person.ts";
import { writeSessionSeen } from "../store/sessions.ts";
import type { Caller, PersonFacts } from "./facts.ts";
import { tierAs } from "./other-ids.ts";
import { isSeenDue, SEEN_EVERY_MS, SESSION_ABSOLUTE_MS, SESSION_IDLE_MS, sessionEndsAt } from "./session-life.ts";

/** A caller together with what the directory says about them. */
export interface Person {
  readonly caller: Caller;
  readonly facts: PersonFacts;
}

/**
 * What the directory says about a caller now: one query. Notes at most once an hour that the session was used.
 * @returns undefined when there is no such principal.
 * @throws when the database cannot be read.
 */
export async function readPerson(db: Database, caller: Caller, now: number): Promise<PersonFacts | undefined> {
  const row = await readPersonRow(db, caller);
  if (row === undefined) return undefined;
  await noteSeen(db, row, caller.sessionHash, now);
  return factsOf(row);
}

/**
 * What the directory says about a principal for whom an object asks. Nobody is signed in, so no session and no identity
 * can have ended. A former id is the survivor, with the lower tier of the two.
 */
export async function readPrincipal(db: Database, principalId: string): Promise<PersonFacts | undefined> {
  const row = await readStandingRow(db, { principalId, identity: "" });
  if (row === undefined) return undefined;
  const facts = factsOf(row);
  const tier = tierAs(facts, principalId) ?? "guest";
  return { ...facts, tier, linked: true, sessionExpiresAt: Number.POSITIVE_INFINITY };
}

/** As {@link readPrincipal}, of exactly this principal: a former id is somebody who is switched off. */
export async function readExactly(db: Database, principalId: string): Promise<PersonFacts | undefined> {
  const row = await readPersonRow(db, { principalId, identity: "", sessionHash: "" });
  return row && { ...factsOf(row), linked: true, sessionExpiresAt: Number.POSITIVE_INFINITY };
}

/** What the directory says about whoever an identity is linked to. No session counts: the network proved the identity. */
export async function readContact(db: Database, identity: string): Promise<PersonFacts | undefined> {
  const row = await readPersonOfIdentity(db, identity);
  return row && { ...factsOf(row), sessionExpiresAt: Number.POSITIVE_INFINITY };
}

/** As {@link readPerson}, for somebody who brings nothing but a session. */
export async function readPersonBySession(db: Database, sessionHash: string, now: number): Promise<Person | undefined> {
  const row = await readPersonOfSession(db, sessionHash);
  if (row === undefined) return undefined;
  await noteSeen(db, row, sessionHash, now);
  return { caller: { principalId: row.principalId, identity: row.identity, sessionHash }, facts: factsOf(row) };
}

function factsOf(row: PersonRow): PersonFacts {
  return {
    principalId: row.principalId,
    name: row.name,
    tier: row.tier,
    disabled: row.disabledAt !== null,
    linked: row.linkedIdentity !== null,
    sessionExpiresAt: sessionEndsAt(row.session),
    ...(row.otherIds.length > 0 && { otherIds: row.otherIds }),
  };
}

async function noteSeen(db: Database, row: PersonRow, sessionHash: string, now: number): Promise<void> {
  if (!isSeenDue(row.session, now)) return;
  await writeSessionSeen(db, sessionHash, now, {
    endedBefore: now - SESSION_IDLE_MS,
    freshAfter: now - SEEN_EVERY_MS,
    createdAfter: now - SESSION_ABSOLUTE_MS,
  });
}
