import type { Caller, Tier } from "../../src/people/facts.ts";
import type { Database } from "../../src/store/database.ts";
import { identities } from "../../src/store/identities.ts";
import { principals } from "../../src/store/principals.ts";
import { sessions } from "../../src/store/sessions.ts";

/** 2026-11-29T00:00:00Z: where the clocks of directory tests start. */
export const START = Date.UTC(2026, 10, 29);

/** A clock that stands still until it is told otherwise. */
export interface TestClock {
  time: number;
  now(): number;
}

export function testClock(time = START): TestClock {
  return {
    time,
    now() {
      return this.time;
    },
  };
}

/** A unique word, so that tests of one database do not meet. */
export function fresh(word: string): string {
  return `${word}_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** A person with an identity and a session, as sign-in leaves them. */
export async function addPerson(
  db: Database,
  facts: { readonly tier?: Tier; readonly name?: string; readonly now?: number; readonly sessionHash?: string } = {},
): Promise<Caller> {
  const now = facts.now ?? START;
  const principalId = fresh("p");
  const identity = fresh("test:");
  const sessionHash = facts.sessionHash ?? randomHash();
  await db.batch([
    db
      .insert(principals)
      .values({ id: principalId, name: facts.name ?? "Ada", tier: facts.tier ?? "member", createdAt: now }),
    db.insert(identities).values({ id: identity, principalId, linkedAt: now }),
    db.insert(sessions).values({ hash: sessionHash, principalId, identity, createdAt: now, lastSeenAt: now }),
  ]);
  return { principalId, identity, sessionHash };
}

export function randomHash(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A database that fails whenever it is asked. */
export function brokenDatabase(): D1Database {
  const fail = () => {
    throw new Error("D1_ERROR: the database is away");
  };
  return { prepare: fail, batch: fail, exec: fail, withSession: fail, dump: fail };
}
