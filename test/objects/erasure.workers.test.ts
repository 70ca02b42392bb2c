import { applyD1Migrations, env, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ErasureJob } from "../../src/objects/erasure/erasure-job.ts";
import type { ErasureOrder } from "../../src/objects/erasure/erasure-rpc.ts";
import { principalOf } from "../../src/objects/principal/principal-rpc.ts";
import { readConversation } from "../../src/store/conversations.ts";
import { openDatabase } from "../../src/store/database.ts";
import { countOfPerson, erasures, type ReceiptLine } from "../../src/store/erasures.ts";
import { identities } from "../../src/store/identities.ts";
import { peopleAudit } from "../../src/store/people-audit.ts";
import { principals } from "../../src/store/principals.ts";
import { sessions } from "../../src/store/sessions.ts";
import { fresh } from "../kit/directory.ts";
import type { Script } from "../kit/scripted-model.ts";
import { untilAborted } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";
import { passTime, restoreClock } from "../kit/wall-clock.ts";

// Every shared conversation of the deployment is looked through: those of other tests are gone.
beforeEach(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});
afterEach(restoreClock);

const db = openDatabase(env.DB);
const MINUTE_MS = 60_000;

/** Repeats what it is told. */
const echo: Script = ({ messages }) => ({
  text: `You said ${JSON.stringify(messages.at(-1)?.role === "user" ? messages.at(-1) : "")}`,
});

function speaking(script = echo): Stage {
  const stage = new Stage();
  stage.script = script;
  return stage;
}

/** A room of Olga, who owns the deployment, with Anna and Bert. */
async function room(stage = speaking()) {
  const { owner, others } = await Talk.room(stage, ["Anna", "Bert"]);
  const [anna, bert] = others;
  if (!anna || !bert) throw new Error("nobody came");
  return { owner, anna, bert };
}

const objectOf = ({ caller }: Talk) => env.PRINCIPAL.getByName(caller.principalId);

async function orderBy(by: Talk, anna: Talk, found?: readonly ReceiptLine[]): Promise<ErasureOrder> {
  const counts = {
    ...(await countOfPerson(db, anna.caller.principalId)),
    ...(await principalOf(env, anna.caller.principalId).holdings()),
  };
  return {
    id: fresh("e"),
    person: anna.caller.principalId,
    by: by.caller.principalId,
    tier: "owner",
    found: found ?? Object.entries(counts).map(([store, n]) => ({ store, found: n, left: null })),
  };
}

async function erase(by: Talk, anna: Talk) {
  return await principalOf(env, anna.caller.principalId).erase(await orderBy(by, anna));
}

async function jobOf(anna: Talk): Promise<Pick<ErasureJob, "phase" | "failures"> | undefined> {
  return await runInDurableObject(objectOf(anna), (_, { storage }) => {
    const [row] = storage.sql.exec<{ body: string }>("SELECT body FROM erasure").toArray();
    return row && (JSON.parse(row.body) as ErasureJob);
  });
}

const phaseOf = async (anna: Talk) => (await jobOf(anna))?.phase;

/** Lets the erasure run until nothing is left but the last look. */
const untilLast = (anna: Talk) => until(async () => (await phaseOf(anna)) === "last", "the last look to be due");

/** As it is when eleven minutes have passed. */
async function finish(anna: Talk): Promise<Readonly<Record<string, string>>> {
  await untilLast(anna);
  passTime(12 * MINUTE_MS);
  // The platform's own clock has not moved, so nobody else rings.
  await until(async () => {
    await runDurableObjectAlarm(objectOf(anna));
    return (await jobOf(anna)) === undefined;
  }, "the receipt");
  return await receiptOf(anna);
}

/** Of each store: found, and left. */
async function receiptOf(anna: Talk): Promise<Readonly<Record<string, string>>> {
  const [row] = await db.select().from(erasures).where(eq(erasures.person, anna.caller.principalId));
  return Object.fromEntries((row?.receipt ?? []).map(({ store, found, left }) => [store, `${found}/${left}`]));
}

const textOf = async (talk: Talk) => JSON.stringify(await talk.stored());
const isEmpty = (talk: Talk) =>
  runInDurableObject(
    talk.stage.object,
    (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'entries'").toArray().length === 0,
  );

describe("erasing a person", () => {
  it("[J-52] shuts them out at once, in one transaction with its line of audit", async () => {
    const { owner, anna } = await room();
    expect(await erase(owner, anna)).toEqual({ ok: true, value: null });
    const { principalId } = anna.caller;
    const [row] = await db.select().from(principals).where(eq(principals.id, principalId));
    expect(row).toMatchObject({ name: "", tier: "guest" });
    expect(row?.disabledAt).toBe(row?.erasedAt);
    expect(await db.$count(identities, eq(identities.principalId, principalId))).toBe(0);
    expect(await db.$count(sessions, eq(sessions.principalId, principalId))).toBe(0);
    const lines = await db.select().from(peopleAudit).where(eq(peopleAudit.target, principalId));
    expect(lines.map(({ action, actor }) => [action, actor])).toEqual([["erase", owner.caller.principalId]]);
    expect(await anna.say("still here?")).toMatchObject({ ok: false });
  });

  it("[J-52] is refused when whoever ordered it is no owner any more, and then nothing has changed", async () => {
    const { owner, anna } = await room();
    await db.update(principals).set({ tier: "admin" }).where(eq(principals.id, owner.caller.principalId));
    await principalOf(env, anna.caller.principalId).notify({ id: "n", at: 1, text: "Hello", link: null });
    expect(await erase(owner, anna)).toMatchObject({ ok: false, error: { code: "conflict" } });
    expect(await phaseOf(anna)).toBeUndefined();
    expect(await principalOf(env, anna.caller.principalId).notices()).toHaveLength(1);
    expect(await anna.say("still here")).toMatchObject({ ok: true });
  });

  it("[J-53] [J-56] takes their private conversations with files and alarms, and says so in the receipt", async () => {
    const { owner, anna } = await room();
    const own = await Talk.begin(
      speaking(() => ({ text: "Working.", between: untilAborted })),
      anna.caller,
    );
    await own.rpc.addFile(anna.caller, { id: "f1", name: "a.txt", mime: "text/plain", bytes: 1 });
    await env.FILES.put(`files/${own.stage.id}/f1`, "x");
    await own.say("my secret");
    await own.told();
    await principalOf(env, anna.caller.principalId).notify({ id: "n", at: 1, text: "Hello", link: null });
    await erase(owner, anna);
    const receipt = await finish(anna);
    expect(await isEmpty(own)).toBe(true);
    expect(await own.alarm()).toBeNull();
    expect((await env.FILES.list({ prefix: `files/${own.stage.id}/` })).objects).toEqual([]);
    expect((await readConversation(db, own.stage.key))?.deletedAt).not.toBeNull();
    expect(receipt).toMatchObject({
      identities: "1/0",
      sessions: "1/0",
      private_conversations: "1/0",
      conversation_members: "1/0",
      notices: "1/0",
    });
    expect(Object.values(receipt).filter((line) => !line.endsWith("/0"))).toEqual([]);
    expect(await principalOf(env, anna.caller.principalId).holdings()).toEqual({ wallet: 0, notices: 0, seen: 0 });
    expect(await runInDurableObject(objectOf(anna), (_, { storage }) => storage.getAlarm())).toBeNull();
  });

  it("[J-54] leaves tombstones in a shared conversation, and everything that others said", async () => {
    const { owner, anna, bert } = await room();
    await bert.say("hello from bert");
    await bert.idle();
    await anna.say("annas secret");
    await anna.idle();
    await owner.rpc.constrain(owner.caller, {
      id: crypto.randomUUID(),
      tools: ["fetch_page"],
      effect: "never",
      text: "Olga says no",
    });
    await erase(owner, anna);
    const receipt = await finish(anna);
    const stored = await textOf(owner);
    expect(stored).not.toMatch(/secret|Anna/);
    expect(stored).toContain("hello from bert");
    expect(stored).toContain("Olga says no");
    const { view } = await owner.snapshot();
    expect(view.entries.filter(({ redacted }) => redacted).map(({ kind }) => kind)).toEqual([
      "core.user",
      "core.assistant",
    ]);
    const members = await owner.rpc.members(owner.caller);
    expect(members.ok && members.value.members.map(({ principalId }) => principalId)).toEqual([
      owner.caller.principalId,
      bert.caller.principalId,
    ]);
    expect(receipt).toMatchObject({ entries: "2/0" });
  });

  it("[J-54] what they forbade stands without their name and words", async () => {
    const { owner } = await room();
    const second = await owner.joined("Susi", "owner");
    await second.rpc.constrain(second.caller, {
      id: crypto.randomUUID(),
      tools: ["fetch_page"],
      effect: "never",
      text: "Susi says no",
    });
    await owner.told();
    await erase(owner, second);
    await finish(second);
    const stored = await textOf(owner);
    expect(stored).not.toContain("Susi");
    const { view } = await owner.snapshot();
    expect(view.plugins["policy"]).toMatchObject({ constraints: [{ tools: ["fetch_page"], effect: "never", by: "" }] });
  });

  it("[J-54] ends a turn of theirs that runs, and goes on with those of others", async () => {
    const stage = speaking((_, nth) =>
      nth === 0 ? { text: "Working on the secret.", between: untilAborted } : { text: "Hello." },
    );
    const { owner, anna, bert } = await room(stage);
    await anna.say("secret");
    await until(async () => stage.model.requests.length > 0, "the request");
    await bert.say("and I?");
    await owner.told();
    await erase(owner, anna);
    await finish(anna);
    await bert.idle();
    expect(await textOf(owner)).not.toContain("secret");
    expect((await owner.transcript()).at(-1)).toEqual(["assistant", "Hello."]);
  });

  it("[J-55] goes on after every death, and comes to the same", async () => {
    const { owner, anna, bert } = await room();
    const own = await Talk.begin(speaking(), anna.caller);
    await own.say("my secret");
    await own.idle();
    await anna.say("annas secret");
    await anna.idle();
    await bert.say("hello from bert");
    await bert.idle();
    await erase(owner, anna);
    for (let death = 0; death < 6; death++) {
      await anna.die();
      await runDurableObjectAlarm(objectOf(anna));
    }
    const receipt = await finish(anna);
    expect(await isEmpty(own)).toBe(true);
    expect(await textOf(owner)).not.toMatch(/secret|Anna/);
    expect(receipt).toMatchObject({ private_conversations: "1/0", entries: "2/0" });
  });

  it("[J-55] a conversation whose directory is away is asked again", async () => {
    const { owner, anna } = await room();
    await anna.say("annas secret");
    await anna.idle();
    owner.stage.database.fails = (sql) => sql.includes("erased_at");
    await erase(owner, anna);
    await until(async () => (await jobOf(anna))?.failures === 1, "the first failure");
    expect(await textOf(owner)).toContain("secret");
    owner.stage.database.fails = () => false;
    passTime(MINUTE_MS);
    await runDurableObjectAlarm(objectOf(anna));
    expect(await finish(anna)).toMatchObject({ entries: "2/0" });
    expect(await textOf(owner)).not.toContain("secret");
  });

  it("[J-57] no conversation forgets somebody whom the directory knows", async () => {
    const { owner, anna } = await room();
    await anna.say("no secret");
    await anna.idle();
    const order = { person: anna.caller.principalId, by: owner.caller.principalId, tier: "owner" } as const;
    expect(await owner.rpc.forget(order, null)).toMatchObject({ ok: false, error: { code: "forbidden" } });
    expect(await textOf(owner)).toContain("no secret");
  });

  it("[J-52] ordered again while it is under way, it goes on", async () => {
    const { owner, anna } = await room();
    const order = await orderBy(owner, anna);
    const rpc = principalOf(env, anna.caller.principalId);
    expect(await rpc.erase(order)).toEqual({ ok: true, value: null });
    expect(await rpc.erase({ ...order, id: fresh("e") })).toEqual({ ok: true, value: null });
    await untilLast(anna);
    expect(await db.$count(peopleAudit, eq(peopleAudit.target, anna.caller.principalId))).toBe(1);
  });

  it("[J-56] what came late is found by the last look, and the receipt waits for it", async () => {
    const { owner, anna } = await room();
    const late = await Talk.begin(speaking(), anna.caller);
    await late.say("late secret");
    await late.idle();
    const key = late.stage.key;
    await env.DB.prepare("update conversations set owner = 'nobody yet' where key = ?").bind(key).run();
    await erase(owner, anna);
    await untilLast(anna);
    await env.DB.prepare("update conversations set owner = ? where key = ?").bind(anna.caller.principalId, key).run();
    expect(await finish(anna)).toMatchObject({ private_conversations: "0/0" });
    expect(await isEmpty(late)).toBe(true);
  });
});
