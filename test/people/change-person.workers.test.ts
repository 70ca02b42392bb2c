import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { changePerson } from "../../src/people/change-person.ts";
import { openDatabase } from "../../src/store/database.ts";
import { deleteInvitation, writeInvitation } from "../../src/store/invitations.ts";
import { peopleAudit } from "../../src/store/people-audit.ts";
import { writeOwnersChange } from "../../src/store/person-changes.ts";
import { principals } from "../../src/store/principals.ts";
import { addPerson, fresh, START } from "../kit/directory.ts";

const db = openDatabase(env.DB);

async function tierOf(id: string) {
  const [row] = await db.select().from(principals).where(eq(principals.id, id));
  return row?.tier;
}

describe("a change that was decided on something else", () => {
  it.each([
    ["the actor is no owner any more", { tier: "admin" as const }, {}],
    ["the actor was switched off", { disabledAt: 1 }, {}],
    ["the person's tier changed", {}, { tier: "admin" as const }],
    ["the person was switched off", {}, { disabledAt: 1 }],
  ])("[J-8] writes nothing: %s", async (_name, ofActor, ofTarget) => {
    const actor = (await addPerson(db, { tier: "owner" })).principalId;
    const target = (await addPerson(db, { tier: "member" })).principalId;
    if (Object.keys(ofActor).length > 0) await db.update(principals).set(ofActor).where(eq(principals.id, actor));
    if (Object.keys(ofTarget).length > 0) await db.update(principals).set(ofTarget).where(eq(principals.id, target));
    const before = await tierOf(target);
    const id = fresh("c");
    const written = await writeOwnersChange(db, {
      change: { kind: "tier", tier: "guest" },
      audit: { id, at: START, actor, action: "tier", target, detail: {} },
      seen: { tier: "member", disabled: false },
      needsOtherOwner: false,
    });
    expect(written).toBe(false);
    expect(await tierOf(target)).toBe(before);
    expect(await db.$count(peopleAudit, eq(peopleAudit.id, id))).toBe(0);
  });

  it("[J-8] [U-53] an actor who was demoted makes no invitation and takes none back", async () => {
    const owner = (await addPerson(db, { tier: "owner" })).principalId;
    const demoted = (await addPerson(db, { tier: "admin" })).principalId;
    const [kept, never] = [fresh("i"), fresh("i")];
    const make = async (id: string, actor: string) => {
      const row = { id, hash: id, tier: "member" as const, createdBy: actor, createdAt: START, expiresAt: START + 1 };
      const audit = { id: fresh("c"), at: START, actor, action: "invite", target: actor, detail: {} };
      return await writeInvitation(db, row, { limit: 100, audit });
    };
    const takeBack = async (actor: string) => {
      const audit = { id: fresh("c"), at: START, actor, action: "uninvite", target: actor, detail: {} };
      return await deleteInvitation(db, kept, audit);
    };
    expect([await make(never, demoted), await make(kept, owner)]).toEqual([false, true]);
    expect([await takeBack(demoted), await takeBack(owner)]).toEqual([false, true]);
    expect(await db.$count(peopleAudit, eq(peopleAudit.actor, demoted))).toBe(0);
  });

  it("[J-8] [trap 47] is a conflict: an actor who was demoted while the form was open completes nothing", async () => {
    const actor = (await addPerson(db, { tier: "admin" })).principalId;
    const target = (await addPerson(db, { tier: "member" })).principalId;
    const outcome = await changePerson({ db, now: START, id: fresh("c") }, actor, target, { kind: "disable" });
    expect(outcome).toMatchObject({ ok: false, error: { code: "conflict" } });
  });
});
