import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { createDirectory } from "../../src/people/directory.ts";
import { TIERS, type Tier } from "../../src/people/facts.ts";
import { lowerTier } from "../../src/people/other-ids.ts";
import { readContact, readPerson, readPrincipal } from "../../src/people/read-person.ts";
import { readSpeaker } from "../../src/people/speaker.ts";
import { openDatabase } from "../../src/store/database.ts";
import { mergePrincipals } from "../../src/store/merges.ts";
import { addPerson, fresh, START, testClock } from "../kit/directory.ts";
import { WatchedDatabase } from "../kit/watched-database.ts";

const db = openDatabase(env.DB);

/** Ada, with whom Bob became one, as they were. */
async function merged(survivor: Tier = "member", person: Tier = "member") {
  const owner = await addPerson(db, { tier: "owner" });
  const ada = await addPerson(db, { tier: survivor, name: "Ada" });
  const bob = await addPerson(db, { tier: person, name: "Bob" });
  const audit = {
    id: fresh("m"),
    at: START,
    actor: owner.principalId,
    action: "merge",
    target: bob.principalId,
    detail: { into: ada.principalId },
  };
  const limits = { identities: 10, formerIds: 10 };
  const order = { audit, survivor: ada.principalId, seen: { person, survivor }, limits };
  expect(await mergePrincipals(db, order)).toBe(true);
  return { ada, bob, otherIds: [{ id: bob.principalId, tier: person }] };
}

describe("who a former id is", () => {
  it("[J-64] is said by the one query that is asked anyway, whoever asks", async () => {
    const { ada, bob, otherIds } = await merged();
    const watched = new WatchedDatabase(env.DB);
    const asked = openDatabase(watched.d1);
    const facts = { principalId: ada.principalId, name: "Ada", otherIds };
    expect(await readPerson(asked, ada, START)).toMatchObject(facts);
    expect(await readContact(asked, bob.identity)).toMatchObject(facts);
    expect(await readPrincipal(asked, bob.principalId)).toMatchObject(facts);
    expect(await readSpeaker(asked, bob.principalId)).toMatchObject({ principalId: bob.principalId, name: "Ada" });
    expect(watched.queries).toHaveLength(4);
  });

  it("[J-64] as a caller it is nobody who may enter, whatever session they bring", async () => {
    const { ada, bob } = await merged();
    const directory = createDirectory(db, testClock(), { maxAgeMs: 0 });
    const own = { key: "web:1", visibility: "private", owner: bob.principalId } as const;
    expect(await directory.may(bob, "read", () => own)).toMatchObject({
      ok: false,
      error: { code: "unauthenticated" },
    });
    expect(await directory.may({ ...bob, principalId: ada.principalId }, "read", () => own)).toMatchObject({
      ok: false,
    });
    expect(await directory.may(ada, "read", () => own)).toEqual({ ok: true });
    expect(await directory.mayOnBehalf(bob, "read", () => own)).toEqual({ ok: true });
  });

  it("[J-66] [J-71] stands for the lower tier where authority hangs on it, and for the survivor's own where money does", async () => {
    for (const survivor of TIERS) {
      for (const person of TIERS) {
        const { ada, bob } = await merged(survivor, person);
        const lower = lowerTier(survivor, person);
        expect(await readSpeaker(db, bob.principalId)).toMatchObject({ tier: lower, ownTier: survivor });
        expect((await readPrincipal(db, bob.principalId))?.tier).toBe(lower);
        expect((await readSpeaker(db, ada.principalId))?.tier).toBe(survivor);
      }
    }
  });

  it("[J-64] an identity that came along speaks for the former as long as it is linked to the survivor", async () => {
    const { bob } = await merged();
    expect(await readSpeaker(db, bob.principalId, bob.identity)).toMatchObject({ name: "Ada" });
    await env.DB.prepare("delete from identities where id = ?").bind(bob.identity).run();
    expect(await readSpeaker(db, bob.principalId, bob.identity)).toBeUndefined();
  });
});
