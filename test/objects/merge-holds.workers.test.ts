import { applyD1Migrations, env, reset, runDurableObjectAlarm } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Tier } from "../../src/people/facts.ts";
import type { QuestionsView } from "../../src/protocol/questions.ts";
import type { PolicyView } from "../../src/protocol/view.ts";
import { openDatabase } from "../../src/store/database.ts";
import { principals } from "../../src/store/principals.ts";
import { Deployment } from "../kit/deployment.workers.ts";
import { finishMerge, merge, personOf, withNewSession } from "../kit/merge.workers.ts";
import { SCRIPTED_USAGE, type Script } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import { SurfaceTalk } from "../kit/surface-talk.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";
import { passTime, restoreClock } from "../kit/wall-clock.ts";

beforeEach(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

afterEach(restoreClock);

const HOUR_MS = 3_600_000;
const db = openDatabase(env.DB);
const tierOf = (talk: Talk, tier: Tier) =>
  db.update(principals).set({ tier }).where(eq(principals.id, talk.caller.principalId));

/** One webhook for each message, then a text. */
const webhook: Script = ({ messages }) =>
  messages.at(-1)?.role === "user"
    ? { calls: [{ name: "send_webhook", args: '{"target":"build","body":{}}' }] }
    : { text: "All done." };

type Approver = Exclude<Tier, "guest">;

/** @param minTier of whoever approves a webhook. */
function staged(minTier: Approver = "member"): Stage {
  const stage = new Stage();
  stage.script = webhook;
  stage.config = { ...stage.config, policy: { ask: [{ tool: "send_webhook", minTier }] } };
  return stage;
}

/** Olga, who owns the deployment, and Anna and Bert with a conversation of their own each. */
async function three(tiers: readonly [Tier, Tier] = ["member", "member"], minTier: Approver = "member") {
  const owner = Talk.at(new Stage(), await newPerson("owner", "Olga"));
  const anna = await Talk.begin(staged(minTier), await newPerson(tiers[0], "Anna"));
  const bert = await Talk.begin(staged(minTier), await newPerson(tiers[1], "Bert"));
  return { owner, anna, bert };
}

describe("cards of somebody who was two", () => {
  it("[J-66] one that waits for the former is approved by the survivor and runs once, through a death", async () => {
    const { owner, anna, bert } = await three();
    const card = await bert.toCard();
    expect(await bert.by(anna.caller).decide(card, "approve")).toMatchObject({ ok: false });
    await merge(owner, bert, anna);
    await bert.die();
    const survivor = bert.by(await withNewSession(anna));
    expect(await bert.decide(card, "approve")).toMatchObject({ ok: false });
    expect(await bert.by(owner.caller).decide(card, "approve")).toMatchObject({ ok: false });
    expect(await survivor.decide(card, "approve")).toEqual({ ok: true, value: {} });
    await survivor.idle();
    expect(bert.stage.receiver.total).toBe(1);
    expect((await survivor.transcript()).at(-1)).toEqual(["assistant", "All done."]);
  });

  it("[J-66] what the former approved runs once, also when two became one before it started", async () => {
    const { owner, anna, bert } = await three();
    const card = await bert.toCard();
    // The press asks twice; the third question is that of the call that is about to start.
    const gate = bert.stage.database.hold((sql) => sql.includes("principals"), 2);
    expect(await bert.decide(card, "approve")).toEqual({ ok: true, value: {} });
    expect(bert.stage.receiver.total).toBe(0);
    await merge(owner, bert, anna);
    gate.open();
    const survivor = bert.by(await withNewSession(anna));
    await survivor.idle();
    expect(bert.stage.receiver.total).toBe(1);
    expect((await survivor.transcript()).at(-1)).toEqual(["assistant", "All done."]);
  });

  it("[J-66] an admin's card is nobody's once the admin is one with a member, and the call does not run", async () => {
    const { owner, anna, bert } = await three(["member", "admin"], "admin");
    const card = await bert.toCard();
    await merge(owner, bert, anna, ["admin", "member"]);
    const survivor = bert.by(await withNewSession(anna));
    for (const decision of ["approve", "decline"] as const) {
      expect(await survivor.decide(card, decision)).toMatchObject({ ok: false, error: { code: "forbidden" } });
    }
    expect(bert.stage.receiver.total).toBe(0);
    expect((await survivor.cards())[0]).toMatchObject({ hold: card.hold, status: "open" });
  });

  it("[J-66] what an admin asks for where a member was before waits for the admin, with the admin's tier", async () => {
    const { owner, anna, bert } = await three(["admin", "member"], "admin");
    await bert.say("go");
    await bert.idle();
    expect(await bert.cards()).toEqual([]);
    await merge(owner, bert, anna, ["member", "admin"]);
    const survivor = bert.by(await withNewSession(anna));
    await survivor.say("go on", "s1");
    expect(await survivor.decide(await survivor.openCard(), "approve")).toEqual({ ok: true, value: {} });
    await survivor.idle();
    expect(bert.stage.receiver.total).toBe(1);
  });
});

describe("reminders", () => {
  it("[J-69] [J-72] of the former's cards and of the survivor's own, where the former was, reach the survivor", async () => {
    const { owner, anna, bert } = await three();
    const shared = await Talk.begin(staged(), bert.caller);
    const before = await bert.toCard();
    await merge(owner, bert, anna);
    await finishMerge(bert);
    const survivor = shared.by(await withNewSession(anna));
    await survivor.say("go", "s1");
    const after = await survivor.openCard();
    await survivor.told();
    passTime(after.deadline - HOUR_MS - Date.now());
    const wanted = [before, after].map(({ hold }) => `hold:${hold}:reminder`).sort();
    await until(async () => {
      for (const { stage } of [bert, shared]) await runDurableObjectAlarm(stage.object);
      return (await personOf(anna).notices()).length === 2;
    }, "both reminders");
    expect((await personOf(anna).notices()).map(({ id }) => id).sort()).toEqual(wanted);
  });
});

describe("what was allowed in advance", () => {
  it("[J-67] covers no call of the survivor, and the survivor takes it back", async () => {
    const { owner, anna, bert } = await three();
    const card = await bert.toCard();
    await bert.decide(card, "approve", { always: { any: ["body"], hours: 1 } });
    await bert.idle();
    await bert.say("again");
    await bert.idle();
    expect(bert.stage.receiver.total).toBe(2);
    await merge(owner, bert, anna);
    await finishMerge(bert);
    const survivor = bert.by(await withNewSession(anna));
    await survivor.say("and I?", "s1");
    await survivor.openCard();
    expect(bert.stage.receiver.total).toBe(2);
    expect(await survivor.rpc.revoke(survivor.caller, card.hold)).toEqual({ ok: true, value: {} });
    const policy = (await survivor.snapshot()).view.plugins["policy"] as unknown as PolicyView;
    expect(policy.allow).toEqual([]);
  });

  it("[J-67] of a former who was an owner counts for no more than the survivor may", async () => {
    const stage = staged("admin");
    const { owner, others } = await Talk.room(stage, ["Anna", "Bert", "Cid"]);
    const [anna, bert, cid] = others;
    if (!anna || !bert || !cid) throw new Error("nobody came");
    await tierOf(bert, "owner");
    const card = await cid.toCard();
    const asOwner = bert.by(await withNewSession(bert));
    expect(await asOwner.decide(card, "approve", { always: { any: ["body"], hours: 1 } })).toMatchObject({ ok: true });
    await cid.idle();
    await cid.say("again");
    await cid.idle();
    expect(stage.receiver.total).toBe(2);
    await merge(owner, bert, anna, ["owner", "member"]);
    await cid.say("and now?");
    await cid.openCard();
    expect(stage.receiver.total).toBe(2);
  });
});

describe("questions", () => {
  it("[J-69] one that was put to the former is answered by the survivor", async () => {
    const { owner, anna, bert } = await three();
    const args = '{"question":"Which colour?","options":[{"label":"Red"},{"label":"Blue"}]}';
    bert.stage.script = ({ messages }) =>
      messages.at(-1)?.role === "user" ? { calls: [{ name: "ask_user", args }] } : { text: "All done." };
    await bert.say("go");
    const questions = async (talk: Talk) =>
      ((await talk.snapshot()).view.plugins["questions"] as unknown as QuestionsView).cards;
    await until(async () => (await questions(bert)).length > 0, "a question");
    const [card] = await questions(bert);
    if (!card) throw new Error("there is no question");
    await merge(owner, bert, anna);
    const survivor = bert.by(await withNewSession(anna));
    const answered = await survivor.rpc.answer(survivor.caller, {
      prompt: card.prompt,
      answers: [{ choices: ["Red"] }],
    });
    expect(answered).toEqual({ ok: true, value: {} });
    await survivor.idle();
    expect((await survivor.transcript()).map(([, text]) => text)).toContain('"Anna" chose "Red".');
  });
});

describe("requests of the former's turn", () => {
  it("[J-71] are paid by what the survivor may spend, not by what the former might", async () => {
    Deployment.begin({ spending: { tiers: { member: { perDay: 0.1 }, admin: {} } } });
    const owner = Talk.at(new Stage(), await newPerson("owner", "Olga"));
    const stage = staged();
    const models = [{ id: "m", maxOutputTokens: 1_000, price: { input: 0, output: 100 } }];
    stage.config = {
      ...stage.config,
      providers: { paid: { kind: "openai-chat", baseUrl: "http://127.0.0.1:1", models } },
    };
    stage.script = (request, nth) => ({ ...webhook(request, nth), usage: { ...SCRIPTED_USAGE, costMicros: 100_000 } });
    const bert = await Talk.begin(stage, await newPerson("member", "Bert"));
    const anna = Talk.at(new Stage(), await newPerson("admin", "Anna"));
    const card = await bert.toCard();
    await merge(owner, bert, anna, ["member", "admin"]);
    // Forgets what it heard of the former within the last seconds.
    await bert.die();
    const survivor = bert.by(await withNewSession(anna));
    expect(await survivor.decide(card, "approve")).toEqual({ ok: true, value: {} });
    await survivor.idle();
    expect((await survivor.transcript()).at(-1)).toEqual(["assistant", "All done."]);
    expect(await personOf(anna).spending("admin")).toMatchObject({ today: 200_000, reserved: 0 });
  });
});

describe("a message on a network", () => {
  it("[J-68] that is brought again after its writer became somebody else runs nothing", async () => {
    const talk = await SurfaceTalk.begin();
    talk.stage.script = () => ({ text: "Heard." });
    const bert = Talk.at(talk.stage, talk.caller);
    const anna = Talk.at(new Stage(), await newPerson("member", "Anna"));
    const owner = Talk.at(new Stage(), await newPerson("owner", "Olga"));
    expect(await talk.say("Hello", { id: "one" })).toMatchObject({ ok: true });
    await until(() => talk.texts.length > 0, "a reply");
    await merge(owner, bert, anna);
    expect(await talk.say("Hello", { id: "one" })).toMatchObject({ ok: true, value: { status: "done" } });
    expect(await talk.say("Hello again", { id: "two" })).toMatchObject({
      ok: true,
      value: { input: `${anna.caller.principalId}:two` },
    });
    await until(() => talk.texts.length > 1, "a second reply");
    expect(talk.texts).toEqual(["Heard.", "Heard."]);
  });
});
