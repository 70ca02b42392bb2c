import { readSessionCookie } from "../auth/cookie.ts";
import { hashSessionId } from "../auth/session-id.ts";
import { mayEnter } from "../people/may-act.ts";
import { type Person, readPersonBySession } from "../people/read-person.ts";
import type { Database } from "../store/database.ts";
import { notSignedIn, Refuse } from "./refusal.ts";

/** Who sends this request, whether or not they may enter. Undefined: nobody we know. */
export async function findPerson(db: Database, request: Request, url: URL, now: number): Promise<Person | undefined> {
  const id = readSessionCookie(url, request.headers.get("cookie"));
  const hash = id === undefined ? undefined : await hashSessionId(id);
  return hash === undefined ? undefined : await readPersonBySession(db, hash, now);
}

/**
 * Who sends this request.
 * @throws Refuse when nobody we know, or nobody who may enter.
 */
export async function requirePerson(db: Database, request: Request, url: URL, now: number): Promise<Person> {
  const person = await findPerson(db, request, url, now);
  const verdict = mayEnter(person?.facts, now);
  if (!verdict.ok) throw new Refuse(verdict.error);
  if (person === undefined) throw notSignedIn();
  return person;
}
