import { readCredentials } from "../../auth/credentials.ts";
import { hashSessionId } from "../../auth/session-id.ts";
import { readPersonByToken } from "../../auth/token-session.ts";
import { mayEnter } from "../../people/may-act.ts";
import { type Person, readPersonBySession } from "../../people/read-person.ts";
import { notSignedIn, Refuse } from "../refusal.ts";
import type { Call } from "../route.ts";

/** What it takes to know who sends a request. */
type Asked = Pick<Call<unknown, unknown>, "deps" | "tokens" | "db" | "now" | "request" | "url">;

/**
 * Who sends this request, whether or not they may enter. Undefined: nobody we know.
 * @throws Refuse for an access token that is not accepted.
 */
export async function findPerson(asked: Asked): Promise<Person | undefined> {
  const credentials = readCredentials(asked.url, asked.request.headers);
  switch (credentials.kind) {
    case "none":
    case "both":
      return undefined;
    case "session": {
      const hash = await hashSessionId(credentials.id);
      return hash === undefined ? undefined : await readPersonBySession(asked.db, hash, asked.now);
    }
    case "broken":
      throw new Refuse({ code: "unauthenticated", message: "The Authorization header holds no single Bearer token." });
    case "token":
      return await findByToken(asked, credentials.token);
  }
}

/**
 * Who sends this request.
 * @throws Refuse when nobody we know, or nobody who may enter.
 */
export async function requirePerson(asked: Asked): Promise<Person> {
  const person = await findPerson(asked);
  const verdict = mayEnter(person?.facts, asked.now);
  if (!verdict.ok) throw new Refuse(verdict.error);
  if (person === undefined) throw notSignedIn();
  return person;
}

/** How old what was learnt about a sender may be when their body is read, ms. */
const MAX_AGE_MS = 1_000;

/**
 * Who sends this request, once its body is read: its sender decides how long that takes.
 * @throws Refuse when they may not enter any more.
 */
export async function stillThem(
  asked: Asked,
  person: Person,
): Promise<{ readonly person: Person; readonly now: number }> {
  const now = asked.deps.clock.now();
  return { now, person: now - asked.now < MAX_AGE_MS ? person : await requirePerson({ ...asked, now }) };
}

async function findByToken({ deps, tokens, db, now }: Asked, token: string): Promise<Person> {
  if (!tokens.isOn) {
    throw new Refuse({
      code: "unauthenticated",
      message: "This deployment takes no access tokens. Sign in on the page.",
    });
  }
  const found = await readPersonByToken({ db, now, tokens }, token);
  if (found.ok) return found.value;
  const { code, message, why } = found.error;
  deps.log("info", { event: "auth.token_refused", why });
  throw new Refuse({ code, message });
}
