import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { createDirectory } from "../../src/people/directory.ts";
import type { Caller, PersonFacts } from "../../src/people/facts.ts";
import { readPerson, readPersonBySession } from "../../src/people/read-person.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";
import { identities } from "../../src/store/identities.ts";
import { principals } from "../../src/store/principals.ts";
import { sessions } from "../../src/store/sessions.ts";
import { addPerson, brokenDatabase, randomHash, START, testClock } from "../kit/directory.ts";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const db = openDatabase(env.DB);

/** The database with every statement counted. */
function counting(): { readonly db: Database; readonly statements: string[] } {
  const statements: string[] = [];
  const d1 = new Proxy(env.DB, {
    get(target, name) {
      if (name !== "prepare") return Reflect.get(target, name, target) as unknown;
      return (sql: string) => {
        statements.push(sql);
        return target.prepare(sql);
      };
    },
  });
  return { db: openDatabase(d1), statements };
}

async function facts(caller: Caller, now = START): Promise<PersonFacts | undefined> {
  return await readPerson(db, caller, now);
}

describe("reading a person", () => {
  it("[U-3] one query tells everything about a caller", async () => {
    const caller = await addPerson(db, { tier: "admin", name: "Ada" });
    const { db: counted, statements } = counting();
    expect(await readPerson(counted, caller, START)).toEqual({
      principalId: caller.principalId,
      name: "Ada",
      tier: "admin",
      disabled: false,
      linked: true,
      sessionExpiresAt: START + 30 * DAY,
    });
    expect(statements).toHaveLength(1);
  });

  it("[U-3] a principal that does not exist gives nothing", async () => {
    const caller = await addPerson(db);
    expect(await facts({ ...caller, principalId: "p_nobody" })).toBeUndefined();
  });

  it("[U-3] [trap 41] disabling and unlinking show at once", async () => {
    const caller = await addPerson(db);
    await db.update(principals).set({ disabledAt: START }).where(eq(principals.id, caller.principalId));
    expect((await facts(caller))?.disabled).toBe(true);
    await db.delete(identities).where(eq(identities.id, caller.identity));
    expect((await facts(caller))?.linked).toBe(false);
  });

  it("[U-3] an identity that was linked to another principal is not this one's", async () => {
    const caller = await addPerson(db);
    const other = await addPerson(db);
    const moved = eq(identities.id, caller.identity);
    await db.update(identities).set({ principalId: other.principalId }).where(moved);
    expect((await facts(caller))?.linked).toBe(false);
  });

  it("[U-4] an unknown session, another principal's and another identity's have no end", async () => {
    const caller = await addPerson(db);
    const other = await addPerson(db);
    expect((await facts({ ...caller, sessionHash: randomHash() }))?.sessionExpiresAt).toBeUndefined();
    expect((await facts({ ...caller, sessionHash: other.sessionHash }))?.sessionExpiresAt).toBeUndefined();
    expect((await facts({ ...caller, identity: other.identity }))?.sessionExpiresAt).toBeUndefined();
  });

  it("[U-4] a revoked session has no end", async () => {
    const caller = await addPerson(db);
    await db.update(sessions).set({ revokedAt: START }).where(eq(sessions.hash, caller.sessionHash));
    expect((await facts(caller))?.sessionExpiresAt).toBeUndefined();
  });

  it("[U-3] a session alone leads to the same caller and facts", async () => {
    const caller = await addPerson(db, { tier: "owner" });
    const person = await readPersonBySession(db, caller.sessionHash, START);
    expect(person).toEqual({ caller, facts: await facts(caller) });
    expect(await readPersonBySession(db, randomHash(), START)).toBeUndefined();
  });

  it("[U-5] use is noted once an hour, and moves the end", async () => {
    const caller = await addPerson(db);
    const seen = async () => {
      const [row] = await db.select().from(sessions).where(eq(sessions.hash, caller.sessionHash));
      return row?.lastSeenAt;
    };
    await facts(caller, START + HOUR - 1);
    expect(await seen()).toBe(START);
    await facts(caller, START + HOUR);
    expect(await seen()).toBe(START + HOUR);
    await readPersonBySession(db, caller.sessionHash, START + 2 * HOUR);
    expect(await seen()).toBe(START + 2 * HOUR);
    expect((await facts(caller, START + 2 * HOUR))?.sessionExpiresAt).toBe(START + 2 * HOUR + 30 * DAY);
  });

  it("[U-5] a session that has ended is never noted", async () => {
    const caller = await addPerson(db);
    await facts(caller, START + 30 * DAY);
    const [row] = await db.select().from(sessions).where(eq(sessions.hash, caller.sessionHash));
    expect(row?.lastSeenAt).toBe(START);
  });
});

describe("the directory of an object", () => {
  const own = (caller: Caller) => () => ({ key: "web:1", visibility: "private" as const, owner: caller.principalId });

  it("[U-6] remembers for 30 seconds and then asks again", async () => {
    const caller = await addPerson(db, { tier: "member" });
    const { db: counted, statements } = counting();
    const clock = testClock();
    const directory = createDirectory(counted, clock, { maxAgeMs: 30_000 });
    await directory.read(caller);
    await db.update(principals).set({ tier: "guest" }).where(eq(principals.id, caller.principalId));
    clock.time = START + 29_999;
    expect(await directory.may(caller, "send", own(caller))).toEqual({ ok: true });
    expect(statements).toHaveLength(1);
    clock.time = START + 30_000;
    expect(await directory.may(caller, "send", own(caller))).toMatchObject({ error: { code: "forbidden" } });
    expect(statements).toHaveLength(2);
  });

  it.each(["decide", "delete", "share", "members"] as const)(
    "[U-6] asks the database for %s, whatever it remembers",
    async (action) => {
      const caller = await addPerson(db, { tier: "owner" });
      const directory = createDirectory(db, testClock(), { maxAgeMs: 30_000 });
      expect(await directory.may(caller, action, own(caller))).toEqual({ ok: true });
      await db.update(sessions).set({ revokedAt: START }).where(eq(sessions.hash, caller.sessionHash));
      expect(await directory.may(caller, "read", own(caller))).toEqual({ ok: true });
      expect(await directory.may(caller, action, own(caller))).toMatchObject({ error: { code: "unauthenticated" } });
      expect(await directory.may(caller, "read", own(caller))).toMatchObject({ error: { code: "unauthenticated" } });
    },
  );

  it("[U-7] a slow older answer does not replace a newer one", async () => {
    const caller = await addPerson(db);
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let first = true;
    const d1 = new Proxy(env.DB, {
      get(target, name) {
        if (name !== "prepare") return Reflect.get(target, name, target) as unknown;
        return (sql: string) => {
          const statement = target.prepare(sql);
          if (!first) return statement;
          first = false;
          return delayed(statement, gate);
        };
      },
    });
    const directory = createDirectory(openDatabase(d1), testClock(), { maxAgeMs: 30_000 });
    const slow = directory.readThrough(caller);
    await db.update(principals).set({ tier: "admin" }).where(eq(principals.id, caller.principalId));
    await directory.readThrough(caller);
    release();
    expect(await slow).toMatchObject({ ok: true, value: { tier: "member" } });
    expect(await directory.read(caller)).toMatchObject({ ok: true, value: { tier: "admin" } });
  });

  it("[U-8] a database that cannot be read is no permission", async () => {
    const caller = await addPerson(db, { tier: "owner" });
    const failures: string[] = [];
    const directory = createDirectory(openDatabase(brokenDatabase()), testClock(), {
      maxAgeMs: 30_000,
      onFailure: (cause) => failures.push(cause),
    });
    const refused = { ok: false, error: { code: "unavailable" } };
    expect(await directory.may(caller, "read", own(caller))).toMatchObject(refused);
    expect(await directory.may(caller, "decide", own(caller))).toMatchObject(refused);
    expect(failures).toEqual(Array(2).fill("Error: D1_ERROR: the database is away"));
  });

  it("[U-8] what was learnt serves for its 30 seconds, but not where the database must be asked", async () => {
    const caller = await addPerson(db);
    let broken = false;
    const d1 = new Proxy(env.DB, {
      get(target, name) {
        if (broken) throw new Error("D1_ERROR: away");
        const value = Reflect.get(target, name, target) as unknown;
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    const clock = testClock();
    const directory = createDirectory(openDatabase(d1), clock, { maxAgeMs: 30_000 });
    await directory.read(caller);
    broken = true;
    expect(await directory.may(caller, "read", own(caller))).toEqual({ ok: true });
    expect(await directory.may(caller, "decide", own(caller))).toMatchObject({ error: { code: "unavailable" } });
    clock.time = START + 30_000;
    expect(await directory.may(caller, "read", own(caller))).toMatchObject({ error: { code: "unavailable" } });
  });

  it("[U-13] another person's conversation is not found", async () => {
    const ada = await addPerson(db, { tier: "owner" });
    const bob = await addPerson(db, { tier: "owner" });
    const directory = createDirectory(db, testClock(), { maxAgeMs: 30_000 });
    expect(await directory.may(ada, "read", own(bob))).toMatchObject({ error: { code: "not_found" } });
  });
});

function delayed(statement: D1PreparedStatement, gate: Promise<void>): D1PreparedStatement {
  return new Proxy(statement, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== "function") return value;
      if (name === "bind") return (...values: unknown[]) => delayed(target.bind(...values), gate);
      return async (...args: unknown[]) => {
        const result: unknown = await Reflect.apply(value, target, args);
        await gate;
        return result;
      };
    },
  });
}
