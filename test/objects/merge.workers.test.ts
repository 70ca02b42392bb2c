import { applyD1Migrations, env, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BudgetRpc } from "../../src/objects/budget/budget-rpc.ts";
import type { Estate } from "../../src/objects/principal/merge-rpc.ts";
import { MAX_NOTICES } from "../../src/objects/principal/principal-notices.ts";
import type { Tier } from "../../src/people/facts.ts";
import { conversations, listConversations } from "../../src/store/conversations.ts";
import { openDatabase } from "../../src/store/database.ts";
import { formerIds } from "../../src/store/former-ids.ts";
import { identities } from "../../src/store/identities.ts";
import { invitations } from "../../src/store/invitations.ts";
import { linkCodes } from "../../src/store/link-codes.ts";
import { peopleAudit } from "../../src/store/people-audit.ts";
import { principals } from "../../src/store/principals.ts";
import { sessions } from "../../src/store/sessions.ts";
import { Deployment } from "../kit/deployment.workers.ts";
import { fresh } from "../kit/directory.ts";
import { finishMerge, formerRow, merge, mergeOrder, personOf, withNewSession } from "../kit/merge.workers.ts";
import type { Script } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";
import { passTime, restoreClock, stayInOneDay } from "../kit/wall-clock.ts";

// Every shared conversation of the deployment is asked: those of other tests are gone.
beforeEach(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});
afterEach(restoreClock);

const db = openDatabase(env.DB);
const MINUTE_MS = 60_000;

const objectOf = ({ caller }: Talk) => env.PRINCIPAL.getByName(caller.principalId);

/** Olga, who owns the deployment, Anna and Bert, in a room of theirs. */
async function room(script: Script = () => ({ text: "Hello." })) {
  const stage = new Stage();
  stage.script = script;
  const { owner, others } = await Talk.room(stage, ["Anna", "Bert"]);
  const [anna, bert] = others;
  if (!anna || !bert) throw new Error("nobody came");
  return { owner, anna, bert };
}

const tierOf = (talk: Talk, tier: Tier) =>
  db.update(principals).set({ tier }).where(eq(principals.id, talk.caller.principalId));

describe("two become one in the directory", () => {
  it("[J-60] [J-61] the former's ways in lead to the survivor or end, in one transaction with its line of audit", async () => {
    const { owner, anna, bert } = await room();
    const [from, into] = [bert.caller.principalId, anna.caller.principalId];
    await db.insert(linkCodes).values({ hash: "h1", identity: bert.caller.identity, display: "", expiresAt: 9e12 });
    const invitation = { tier: "member", createdAt: 1, expiresAt: 9e12 } as const;
    await db.insert(invitations).values({ id: "i1", hash: "h1", createdBy: from, ...invitation });
    await db.insert(invitations).values({ id: "i2", hash: "h2", createdBy: into, ...invitation });
    await tierOf(bert, "admin");
    expect(await merge(owner, bert, anna, ["admin", "member"])).toEqual({ ok: true, value: null });
    expect(await db.$count(identities, eq(identities.principalId, into))).toBe(2);
    expect(await db.select().from(sessions).where(eq(sessions.principalId, from))).toMatchObject([
      { revokedAt: expect.any(Number) },
    ]);
    expect(await db.$count(linkCodes)).toBe(0);
    expect((await db.select().from(invitations)).map(({ id }) => id)).toEqual(["i2"]);
    const people = await db.select().from(principals);
    expect(people.find(({ id }) => id === into)).toMatchObject({ name: "Anna", tier: "member", disabledAt: null });
    expect(people.find(({ id }) => id === from)).toMatchObject({ name: "Bert", disabledAt: expect.any(Number) });
    expect(await formerRow(bert)).toMatchObject({ survivor: into, tier: "admin", orderedBy: owner.caller.principalId });
    const lines = await db.select().from(peopleAudit).where(eq(peopleAudit.action, "merge"));
    expect(lines).toMatchObject([{ actor: owner.caller.principalId, target: from, detail: { into } }]);
    expect(await bert.say("still me?")).toMatchObject({ ok: false });
  });

  it("[J-60] ordered again it goes on, and with somebody else it is refused", async () => {
    const { owner, anna, bert } = await room();
    const order = mergeOrder(owner, bert, anna);
    expect(await personOf(bert).merge(order)).toMatchObject({ ok: true });
    expect(await personOf(bert).merge({ ...order, id: fresh("m") })).toMatchObject({ ok: true });
    const other = await personOf(bert).merge(mergeOrder(owner, bert, owner, ["member", "owner"]));
    expect(other).toMatchObject({ ok: false, error: { code: "conflict" } });
    expect(await db.$count(peopleAudit, eq(peopleAudit.action, "merge"))).toBe(1);
  });

  const changes: readonly (readonly [string, (people: Awaited<ReturnType<typeof room>>) => Promise<unknown>])[] = [
    ["whoever ordered it is no owner any more", ({ owner }) => tierOf(owner, "admin")],
    ["the former has another tier by now", ({ bert }) => tierOf(bert, "admin")],
    ["the survivor has another tier by now", ({ anna }) => tierOf(anna, "guest")],
    [
      "the survivor is switched off",
      ({ anna }) => db.update(principals).set({ disabledAt: 1 }).where(eq(principals.id, anna.caller.principalId)),
    ],
    [
      "the former is erased",
      ({ bert }) => db.update(principals).set({ erasedAt: 1 }).where(eq(principals.id, bert.caller.principalId)),
    ],
    [
      "the configuration has made the former an owner",
      ({ bert }) =>
        db.update(principals).set({ configuredOwner: true }).where(eq(principals.id, bert.caller.principalId)),
    ],
    [
      "together they would have 11 identities",
      ({ anna }) =>
        db.batch([
          db.delete(linkCodes),
          ...Array.from({ length: 9 }, () =>
            db.insert(identities).values({ id: fresh("x:"), principalId: anna.caller.principalId, linkedAt: 1 }),
          ),
        ]),
    ],
    [
      "the survivor has 10 former ids",
      ({ anna }) =>
        db.batch([
          db.delete(linkCodes),
          ...Array.from({ length: 10 }, () => db.insert(formerIds).values(newFormer(anna.caller.principalId))),
        ]),
    ],
    [
      "something is still being moved to the former",
      ({ bert }) => db.insert(formerIds).values({ ...newFormer(bert.caller.principalId), finishedAt: null }),
    ],
  ];

  const newFormer = (survivor: string) =>
    ({ former: fresh("p"), survivor, tier: "member", mergedAt: 1, orderedBy: "p", finishedAt: 1 }) as const;

  it.each(changes)("[J-62] [J-75] nothing is written when %s", async (_, change) => {
    const people = await room();
    await change(people);
    expect(await merge(people.owner, people.bert, people.anna)).toMatchObject({
      ok: false,
      error: { code: "conflict" },
    });
    expect(await formerRow(people.bert)).toBeUndefined();
    expect(await db.$count(peopleAudit, eq(peopleAudit.action, "merge"))).toBe(0);
    expect(await db.$count(identities, eq(identities.principalId, people.bert.caller.principalId))).toBe(1);
    await personOf(people.bert).notify({ id: "n", at: 1, text: "Hello", link: null });
    expect(await personOf(people.bert).notices()).toHaveLength(1);
  });

  it("[J-62] with one fewer, ten identities and ten former ids, two become one", async () => {
    const { owner, anna, bert } = await room();
    const into = anna.caller.principalId;
    for (let n = 0; n < 8; n++) await db.insert(identities).values({ id: fresh("x:"), principalId: into, linkedAt: 1 });
    for (let n = 0; n < 9; n++) await db.insert(formerIds).values(newFormer(into));
    expect(await merge(owner, bert, anna)).toMatchObject({ ok: true });
    expect(await db.$count(identities, eq(identities.principalId, into))).toBe(10);
    expect(await db.$count(formerIds, eq(formerIds.survivor, into))).toBe(10);
  });

  it("[J-62] of two who are made one with each other at once, one stays", async () => {
    const { owner, anna, bert } = await room();
    const answers = await Promise.all([merge(owner, bert, anna), merge(owner, anna, bert)]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await db.$count(formerIds)).toBe(1);
    const standing = (await db.select().from(principals)).filter(({ disabledAt }) => disabledAt === null);
    expect(standing).toHaveLength(2);
  });

  it("[J-63] a former of a former is the survivor's in one step, with the lowest tier on the way", async () => {
    const { owner, anna, bert } = await room();
    const cid = await owner.joined("Cid", "admin");
    await tierOf(anna, "admin");
    await merge(owner, cid, bert, ["admin", "member"]);
    await finishMerge(cid);
    expect(await merge(owner, bert, anna, ["member", "admin"])).toMatchObject({ ok: true });
    expect(await formerRow(cid)).toMatchObject({ survivor: anna.caller.principalId, tier: "member" });
    await finishMerge(bert);
    await personOf(cid).notify({ id: "late", at: 1, text: "For Cid", link: null });
    expect((await personOf(anna).notices()).map(({ id }) => id)).toEqual(["late"]);
  });
});

describe("what the former has is the survivor's", () => {
  it("[J-65] [J-74] conversations open, and are listed once; a room has one line of the two", async () => {
    const { owner, anna, bert } = await room();
    const own = await Talk.begin(new Stage(), bert.caller);
    await own.say("Bert's own");
    await own.idle();
    await owner.told();
    await merge(owner, bert, anna);
    const asAnna = own.by(anna.caller);
    expect(await asAnna.say("Anna goes on", "n1")).toMatchObject({ ok: true });
    await until(async () => (await asAnna.transcript()).length === 4, "the answer");
    expect(await own.by(owner.caller).say("and I?")).toMatchObject({ ok: false, error: { code: "not_found" } });
    await finishMerge(bert);
    const members = await owner.rpc.members(owner.caller);
    const [one, two] = [owner.caller.principalId, anna.caller.principalId];
    expect(members.ok && members.value.members.map(({ principalId }) => principalId)).toEqual([one, two]);
    const page = { surface: "web", limit: 10, after: undefined };
    const listed = await listConversations(db, [two, bert.caller.principalId], page);
    expect(listed.map(({ key }) => key).sort()).toEqual([own.stage.key, owner.stage.key].sort());
    expect(await anna.rpc.removeMember(anna.caller, two)).toMatchObject({ ok: true });
    expect(await anna.say("still here?")).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  it("[J-69] [J-74] in a room where only the former was, the survivor speaks, stops and goes out at once", async () => {
    const { owner, anna, bert } = await room(() => ({ text: "Slow.", between: () => new Promise(() => undefined) }));
    await owner.rpc.removeMember(owner.caller, anna.caller.principalId);
    await bert.say("work");
    expect(await anna.rpc.stop(anna.caller)).toMatchObject({ ok: false, error: { code: "not_found" } });
    owner.stage.database.fails = (sql) => sql.includes('"former_ids"') && !sql.includes("principals");
    await merge(owner, bert, anna);
    const again = anna.by(await withNewSession(anna));
    expect(await again.rpc.stop(again.caller)).toEqual({ ok: true, value: { stopped: true } });
    expect(await again.rpc.removeMember(again.caller, anna.caller.principalId)).toMatchObject({ ok: true });
    expect(await again.say("gone")).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  it("[J-74] a conversation makes one line of two only when the directory says so", async () => {
    const { owner, bert } = await room();
    expect(await owner.rpc.mergeMember(bert.caller.principalId)).toMatchObject({ ok: false });
    const members = await owner.rpc.members(owner.caller);
    expect(members.ok && members.value.members).toHaveLength(3);
  });

  it("[J-68] a message that comes again from the survivor runs nothing, and other words under its id are a conflict", async () => {
    const { owner, bert, anna } = await room();
    const first = await bert.say("once", "m-same");
    await bert.idle();
    await merge(owner, bert, anna);
    const again = anna.by(await withNewSession(anna));
    const second = await again.say("once", "m-same");
    expect(first).toMatchObject({ ok: true, value: { input: `${bert.caller.principalId}:m-same` } });
    expect(second).toMatchObject({ ok: true, value: { input: `${bert.caller.principalId}:m-same`, status: "done" } });
    expect(await again.say("twice", "m-same")).toMatchObject({ ok: false, error: { code: "conflict" } });
    expect(await again.say("twice", "m-new")).toMatchObject({
      ok: true,
      value: { input: `${anna.caller.principalId}:m-new` },
    });
    await again.idle();
    expect(owner.stage.model.requests).toHaveLength(2);
  });

  it("[J-70] a former is taken into no conversation", async () => {
    const { owner, bert, anna } = await room();
    await merge(owner, bert, anna);
    await finishMerge(bert);
    const added = await owner.rpc.addMember(owner.caller, bert.caller.principalId);
    expect(added).toMatchObject({ ok: false, error: { code: "bad_request" } });
  });
});

describe("erasing the survivor", () => {
  it("[J-77] erases what the former left, too, and waits for nothing of it to be moved", async () => {
    const { owner, anna, bert } = await room();
    const own = await Talk.begin(new Stage(), bert.caller);
    await own.say("private secret");
    await own.idle();
    await bert.say("shared secret");
    await owner.idle();
    await merge(owner, bert, anna);
    const order = {
      id: fresh("e"),
      person: anna.caller.principalId,
      by: owner.caller.principalId,
      tier: "owner",
      found: [],
    } as const;
    await db.update(formerIds).set({ finishedAt: null });
    expect(await personOf(anna).erase(order)).toMatchObject({ ok: false, error: { code: "conflict" } });
    await finishMerge(bert);
    expect(await personOf(anna).erase(order)).toMatchObject({ ok: true });
    await until(async () => {
      await runDurableObjectAlarm(objectOf(anna));
      const [row] = await db.select().from(conversations).where(eq(conversations.key, own.stage.key));
      return typeof row?.deletedAt === "number";
    }, "the private one to be gone");
    await until(async () => !JSON.stringify(await owner.stored()).includes("secret"), "the room to have forgotten");
    const names = (await db.select().from(principals)).map(({ name }) => name);
    expect(names.filter((name) => name !== "")).toEqual(["Olga"]);
    const members = await owner.rpc.members(owner.caller);
    expect(members.ok && members.value.members).toHaveLength(1);
  });
});

describe("what the former's object keeps", () => {
  const budget = () => env.BUDGET.getByName(Deployment.current.budget);
  const usd = (micros: number) => ({ key: fresh("k"), micros });
  const ask = (key: string, micros: number) =>
    ({ ask: { key, micros, tier: "member" }, begins: null, debts: [] }) as const;

  it("[J-71] [J-72] spent, set aside and held counts once, and what was set aside is settled there", async () => {
    stayInOneDay(60 * MINUTE_MS);
    const { owner, anna, bert } = await room();
    const spent = usd(300);
    await personOf(bert).reserve(ask(spent.key, 400));
    await personOf(bert).settle([spent]);
    await personOf(bert).reserve(ask("open", 500));
    await personOf(anna).reserve(ask("own", 200));
    await personOf(anna).settle([{ key: "own", micros: 100 }]);
    await merge(owner, bert, anna);
    await personOf(bert).settle([{ key: "open", micros: 450 }]);
    expect(await personOf(anna).spending("member")).toMatchObject({ today: 850, month: 850, reserved: 0 });
    await finishMerge(bert);
    expect(await personOf(anna).spending("member")).toMatchObject({ today: 850, reserved: 0 });
    expect(await personOf(bert).holdings()).toEqual({ wallet: 0, notices: 0, seen: 0 });
    expect(await personOf(bert).reserve(ask("late", 1))).toEqual({ ok: true, value: null });
    await personOf(bert).settle([{ key: "late", micros: 1 }]);
    passTime(20 * MINUTE_MS);
    await runDurableObjectAlarm(objectOf(anna));
    const { people } = await (budget() as unknown as BudgetRpc).spent();
    expect(people.map(({ principalId, today }) => [principalId, today])).toEqual([[anna.caller.principalId, 851]]);
  });

  it("[J-71] taken over twice, it counts once", async () => {
    const { anna } = await room();
    const wallet = { day: "2026-01-01", today: 5, month: 5, open: {}, expired: {} };
    const turns = { running: {}, minute: { since: 0, count: 0 }, hour: { since: 0, count: 0 } };
    const estate: Estate = {
      purse: { wallet, turns, lease: { day: "", perDay: 0, perMonth: 0 }, seq: 3 },
      notices: [{ id: "n", at: 1, text: "Hi", link: null, read_at: 2 }],
      seen: [{ conversation: "web:1", rev: 4, at: 1 }],
    };
    const first = await personOf(anna).absorb("p_bert", estate);
    await personOf(anna).settle([]);
    expect(await personOf(anna).absorb("p_bert", estate)).toBe(first);
    expect(await personOf(anna).notices()).toMatchObject([{ id: "n", read: true }]);
    expect(await personOf(anna).seen()).toEqual({ "web:1": 4 });
  });

  it("[J-73] notices and what was seen move along, within the survivor's bounds", async () => {
    const { owner, anna, bert } = await room();
    await personOf(bert).notify({ id: "b", at: 5_000, text: "For Bert", link: null });
    await personOf(bert).markRead(["b"]);
    for (let n = 0; n < MAX_NOTICES; n++)
      await personOf(anna).notify({ id: `a${n}`, at: n, text: "For Anna", link: null });
    await personOf(anna).see("web:1", 7);
    await personOf(bert).see("web:1", 3);
    await personOf(bert).see("web:2", 9);
    await merge(owner, bert, anna);
    await finishMerge(bert);
    expect(await personOf(anna).notices()).toHaveLength(MAX_NOTICES);
    expect((await personOf(anna).notices()).some(({ id }) => id === "b")).toBe(false);
    expect(await personOf(anna).seen()).toEqual({ "web:1": 7, "web:2": 9 });
    expect(
      await runInDurableObject(objectOf(bert), (_, { storage }) => storage.sql.exec("SELECT 1 FROM seen").toArray()),
    ).toEqual([]);
  });

  it("[J-71] [J-75] dying before, between and after, it comes to the same", async () => {
    const { owner, anna, bert } = await room();
    await personOf(bert).reserve(ask("open", 500));
    await personOf(bert).notify({ id: "b", at: 1, text: "For Bert", link: null });
    await merge(owner, bert, anna);
    for (let death = 0; death < 4; death++) {
      await bert.die();
      await runDurableObjectAlarm(objectOf(bert));
    }
    await finishMerge(bert);
    expect(await personOf(anna).spending("member")).toMatchObject({ today: 0, reserved: 500 });
    expect(await personOf(anna).notices()).toHaveLength(1);
    await personOf(bert).settle([{ key: "open", micros: 20 }]);
    expect(await personOf(anna).spending("member")).toMatchObject({ today: 20, reserved: 0 });
  });
});
