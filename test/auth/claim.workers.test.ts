import { applyD1Migrations, env, reset } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { claimOwnerCode, type SignedIn } from "../../src/auth/claim.ts";
import { hashCode } from "../../src/auth/code.ts";
import { issueOwnerCode } from "../../src/auth/issue-owner-code.ts";
import { hashSessionId } from "../../src/auth/session-id.ts";
import { readPersonBySession } from "../../src/people/read-person.ts";
import { openDatabase } from "../../src/store/database.ts";
import { identities } from "../../src/store/identities.ts";
import { ownerCodes } from "../../src/store/owner-codes.ts";
import { principals } from "../../src/store/principals.ts";
import { sessions } from "../../src/store/sessions.ts";
import { addPerson, START } from "../kit/directory.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const db = openDatabase(env.DB);
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes);

beforeEach(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

async function issue(now = START): Promise<string> {
  return await issueOwnerCode(db, now, random);
}

async function claim(code: string, now = START, oldSessionId?: string) {
  return await claimOwnerCode({ db, now, random }, { code, oldSessionId });
}

async function claimed(code: string, now = START, oldSessionId?: string): Promise<SignedIn> {
  const result = await claim(code, now, oldSessionId);
  if (!result.ok) throw new Error(`refused: ${result.error.code}`);
  return result.value;
}

async function codeOf(code: string, now = START): Promise<string> {
  const result = await claim(code, now);
  return result.ok ? "ok" : result.error.code;
}

async function personOf(signedIn: SignedIn, now = START) {
  return await readPersonBySession(db, (await hashSessionId(signedIn.sessionId)) ?? "", now);
}

/** Every value of every table as one text. */
async function dump(): Promise<string> {
  const tables = ["principals", "identities", "sessions", "owner_codes", "rate_windows", "conversations"];
  const rows = await Promise.all(
    tables.map(async (table) => (await env.DB.prepare(`select * from ${table}`).all()).results),
  );
  return JSON.stringify(rows);
}

describe("claiming the owner code", () => {
  it("[U-22] the first claim makes one owner", async () => {
    const signedIn = await claimed(await issue());
    const person = await personOf(signedIn);
    expect(person?.caller).toMatchObject({ principalId: signedIn.principalId, identity: "setup:owner" });
    expect(person?.facts).toMatchObject({ tier: "owner", linked: true, disabled: false });
    expect(signedIn.principalId).toMatch(/^p_[0-9a-z]{26}$/);
  });

  it("[U-22] a later code signs the same owner in again", async () => {
    const first = await claimed(await issue());
    await db.update(principals).set({ tier: "guest" }).where(eq(principals.id, first.principalId));
    const second = await claimed(await issue());
    expect(second.principalId).toBe(first.principalId);
    expect(second.sessionId).not.toBe(first.sessionId);
    expect((await personOf(second))?.facts.tier).toBe("owner");
    expect(await db.$count(principals)).toBe(1);
    expect(await db.$count(identities)).toBe(1);
  });

  it("[U-22] the spent code keeps when it was spent, and for which session", async () => {
    const code = await issue();
    const signedIn = await claimed(code, START + 5);
    const [row] = await db.select().from(ownerCodes);
    expect(row).toMatchObject({ spentAt: START + 5, sessionHash: await hashSessionId(signedIn.sessionId) });
  });

  it("[U-17] neither the code nor the session id is in any row", async () => {
    const code = await issue();
    const { sessionId } = await claimed(code);
    const rows = await dump();
    expect(rows).toContain(await hashCode(code));
    expect(rows).not.toContain(code);
    expect(rows).not.toContain(sessionId);
  });

  it("[U-18] a code signs in once", async () => {
    const code = await issue();
    await claimed(code);
    const before = await db.select().from(sessions);
    expect(await codeOf(code)).toBe("unauthenticated");
    expect(await db.select().from(sessions)).toEqual(before);
  });

  it("[U-18] of two claims at one instant one wins", async () => {
    for (let round = 0; round < 4; round++) {
      const code = await issue(START + round * MINUTE);
      const results = await Promise.all([1, 2].map(() => claim(code, START + round * MINUTE)));
      expect(results.filter((result) => result.ok)).toHaveLength(1);
      expect(await db.$count(sessions)).toBe(round + 1);
      expect(await db.$count(principals)).toBe(1);
    }
  });

  it("[U-19] a code is good until 15 minutes have passed, not at that instant", async () => {
    expect(await codeOf(await issue(), START + 15 * MINUTE - 1)).toBe("ok");
    expect(await codeOf(await issue(), START + 15 * MINUTE)).toBe("unauthenticated");
    expect(await db.$count(sessions)).toBe(1);
  });

  it("[U-20] the eleventh try in a minute is refused, the right code included, and writes nothing", async () => {
    const code = await issue();
    for (let i = 0; i < 10; i++) expect(await codeOf(`guess${i}`, START + i)).toBe("unauthenticated");
    const before = await dump();
    expect(await codeOf("guess10", START + 10)).toBe("rate_limited");
    expect(await codeOf(code, START + MINUTE - 1)).toBe("rate_limited");
    expect(await dump()).toBe(before);
    expect(await codeOf(code, START + MINUTE)).toBe("ok");
  });

  it("[U-20] tries at one instant cannot share a place", async () => {
    await issue();
    const results = await Promise.all(Array.from({ length: 15 }, (_, i) => codeOf(`guess${i}`)));
    expect(results.filter((code) => code === "unauthenticated")).toHaveLength(10);
    expect(results.filter((code) => code === "rate_limited")).toHaveLength(5);
  });

  it("[U-20] a new minute takes ten tries again", async () => {
    for (const start of [START, START + MINUTE]) {
      for (let i = 0; i < 10; i++) expect(await codeOf("guess", start + i)).toBe("unauthenticated");
      expect(await codeOf("guess", start + 10)).toBe("rate_limited");
    }
  });

  it("[U-21] wrong, spent and expired codes are refused alike", async () => {
    const spent = await issue();
    await claimed(spent);
    const expired = await issue(START - DAY);
    const refusals = [await claim("wrong"), await claim(spent), await claim(expired)];
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1);
  });

  it("[U-24] the session that the browser brought along is revoked, others stay", async () => {
    const old = await claimed(await issue());
    const other = await claimed(await issue());
    const fresh = await claimed(await issue(), START, old.sessionId);
    expect((await personOf(old))?.facts.sessionExpiresAt).toBeUndefined();
    expect((await personOf(other))?.facts.sessionExpiresAt).toBeDefined();
    expect((await personOf(fresh))?.facts.sessionExpiresAt).toBeDefined();
  });

  it("[U-24] a refused claim revokes nothing", async () => {
    const old = await claimed(await issue());
    await claim("wrong", START, old.sessionId);
    expect((await personOf(old))?.facts.sessionExpiresAt).toBeDefined();
  });

  it("[U-24] session ids have 256 bits and never repeat", async () => {
    const ids = [await claimed(await issue()), await claimed(await issue())].map(({ sessionId }) => sessionId);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{64}$/);
  });

  it("[U-23] signing in sweeps what can no longer matter, and nothing else", async () => {
    const now = START + 200 * DAY;
    await addPerson(db, { now: now - 90 * DAY });
    const kept = await addPerson(db, { now: now - 89 * DAY });
    await issue(now - 91 * DAY);
    const lately = await issue(now - 89 * DAY);
    await claimed(await issue(now), now);
    const hashes = (await db.select().from(sessions)).map(({ hash }) => hash);
    expect(hashes).toHaveLength(2);
    expect(hashes).toContain(kept.sessionHash);
    const codes = (await db.select().from(ownerCodes)).map(({ hash }) => hash);
    expect(codes).toHaveLength(2);
    expect(codes).toContain(await hashCode(lately));
  });
});
