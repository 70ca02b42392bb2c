import { must } from "../lib/assert.ts";
import { err, ok, type Result } from "../lib/result.ts";
import type { Database } from "../store/database.ts";
import { nameFailure } from "../store/failure.ts";
import type { Caller, ConversationNow, OnBehalf, PersonFacts } from "./facts.ts";
import { type Action, mayAct, mayEnter, type Refused, type Verdict } from "./may-act.ts";
import { readContact, readExactly, readPerson, readPrincipal } from "./read-person.ts";

/** Actions for which nothing remembered counts: they cannot be taken back. */
const ALWAYS_FRESH: ReadonlySet<Action> = new Set(["decide", "delete", "policy", "share", "members"]);
/** Callers remembered at once. The oldest goes first. */
const MAX_REMEMBERED = 500;

export const UNAVAILABLE: Refused = {
  code: "unavailable",
  message: "The directory cannot check who you are now; try again.",
};

type Facts = Result<PersonFacts | undefined, Refused>;

/** Tells a Durable Object who its callers are. Never throws: a database that cannot be read is a refusal. */
export interface Directory {
  /** Facts at most `maxAgeMs` old. */
  read(caller: Caller): Promise<Facts>;
  /** Facts asked for now. */
  readThrough(caller: Caller): Promise<Facts>;
  /** Whose identity of a chat network this is, asked for now. Undefined: nobody's. */
  readContact(identity: string): Promise<Facts>;
  /** {@link mayAct} with facts as fresh as the action needs. `conversation` is asked for after the facts are there. */
  may(caller: Caller, action: Action, conversation: () => ConversationNow | undefined): Promise<Verdict>;
  /** As {@link Directory.may}, for an object that asks for its owner: tier and standing count, no session does. */
  mayOnBehalf(caller: OnBehalf, action: Action, conversation: () => ConversationNow | undefined): Promise<Verdict>;
  /** Somebody who may be in conversations at all, asked for now; a former id is nobody who may. */
  mayBeIn(principalId: string): Promise<Result<PersonFacts, Refused>>;
}

/** Whom the database is asked about, and how. */
interface Question {
  readonly key: string;
  find(now: number): Promise<PersonFacts | undefined>;
}

interface Remembered {
  readonly facts: PersonFacts | undefined;
  /** When the database was asked, not when it answered. */
  readonly askedAt: number;
  /** Which question this answers, counted from 1. */
  readonly question: number;
}

export interface DirectoryOptions {
  readonly maxAgeMs: number;
  /** Told in words when the database failed; the refusal itself says nothing of the cause. */
  readonly onFailure?: (cause: string) => void;
}

/** A directory over D1 that remembers callers in memory for `maxAgeMs`. */
export function createDirectory(
  db: Database,
  clock: { now(): number },
  { maxAgeMs, onFailure }: DirectoryOptions,
): Directory {
  const memory = new Map<string, Remembered>();
  let questions = 0;

  async function ask({ key, find }: Question): Promise<Facts> {
    const askedAt = clock.now();
    questions += 1;
    const question = questions;
    try {
      const facts = await find(askedAt);
      remember(memory, key, { facts, askedAt, question });
      return ok(facts);
    } catch (error) {
      onFailure?.(nameFailure(error));
      return err(UNAVAILABLE);
    }
  }

  async function read(question: Question): Promise<Facts> {
    const known = memory.get(question.key);
    return known !== undefined && clock.now() - known.askedAt < maxAgeMs ? ok(known.facts) : await ask(question);
  }

  async function rule(
    question: Question,
    action: Action,
    conversation: () => ConversationNow | undefined,
  ): Promise<Verdict> {
    const person = ALWAYS_FRESH.has(action) ? await ask(question) : await read(question);
    return person.ok ? mayAct(person.value, action, conversation(), clock.now()) : person;
  }

  const ofSession = (caller: Caller): Question => ({
    key: `${caller.sessionHash} ${caller.principalId} ${caller.identity}`,
    find: (now) => readPerson(db, caller, now),
  });
  const ofObject = ({ principalId }: OnBehalf): Question => ({
    key: `on behalf of ${principalId}`,
    find: () => readPrincipal(db, principalId),
  });

  return {
    read: (caller) => read(ofSession(caller)),
    readThrough: (caller) => ask(ofSession(caller)),
    readContact: (identity) => ask({ key: `contact ${identity}`, find: () => readContact(db, identity) }),
    may: (caller, action, conversation) => rule(ofSession(caller), action, conversation),
    mayOnBehalf: (caller, action, conversation) => rule(ofObject(caller), action, conversation),
    async mayBeIn(principalId) {
      const person = await ask({ key: `exactly ${principalId}`, find: () => readExactly(db, principalId) });
      if (!person.ok) return person;
      const verdict = mayEnter(person.value, clock.now());
      return verdict.ok ? ok(must(person.value, "whoever may enter is known")) : verdict;
    },
  };
}

/** Two answers may overtake each other: the one that was asked for later counts. */
function remember(memory: Map<string, Remembered>, key: string, answer: Remembered): void {
  const known = memory.get(key);
  if (known !== undefined && known.question > answer.question) return;
  memory.delete(key);
  memory.set(key, answer);
  const [oldest] = memory.keys();
  if (memory.size > MAX_REMEMBERED && oldest !== undefined) memory.delete(oldest);
}
