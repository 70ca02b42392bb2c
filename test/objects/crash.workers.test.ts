import { env, evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import { Gate } from "../kit/gate.ts";
import { type Script, untilAborted } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

const DONE = { ok: true, value: {} };
const PEOPLE = (query: string) => query.includes('from "principals"');
const LIST = (query: string) => query.startsWith('insert into "conversations"');

const oneWebhook: Script = ({ messages }) =>
  messages.at(-1)?.role === "user"
    ? { calls: [{ name: "send_webhook", args: '{"target":"build","body":{"ref":"main"}}' }] }
    : { text: "All done." };

async function begin(script: Script = oneWebhook): Promise<Talk> {
  const stage = new Stage();
  stage.script = script;
  return Talk.begin(stage);
}

/** A call to an object that dies meanwhile: whoever made it hears of a failure, or nothing. */
const lost = (call: Promise<unknown>) => void call.catch(() => undefined);

const row = (talk: Talk) =>
  env.DB.prepare("select title, state, rev from conversations where key = ?").bind(talk.stage.key).first<{
    title: string;
    state: string;
    rev: number;
  }>();

/** Somebody looks in, and everything comes to its end. */
async function expectEnded(talk: Talk): Promise<void> {
  await talk.snapshot();
  await talk.idle();
  expect((await talk.control()).tasks).toEqual({});
  const { rev, view } = await talk.snapshot();
  expect(view.turn).toBeNull();
  await until(async () => (await row(talk))?.rev === rev, "the list to converge");
}

const results = async (talk: Talk) =>
  (await talk.transcript()).flatMap(([kind, text]) => (kind === "tool_result" ? [text] : []));

describe("the process dies", () => {
  it("[H-57] before the decision is committed: the card is open, and the press counts when it is made again", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    await talk.told();
    const gate = talk.stage.database.hold(PEOPLE, 1);
    lost(talk.decide(card, "approve"));
    await gate.reached();
    await talk.die();
    expect(await talk.cards()).toMatchObject([{ hold: card.hold, status: "open" }]);
    expect(await talk.decide(card, "approve")).toEqual(DONE);
    await expectEnded(talk);
    expect([...talk.stage.receiver.arrived.values()]).toEqual([1]);
  });

  it("[H-57] [H-12] after the decision, before the call starts: it starts by itself, once", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    await talk.told();
    const gate = talk.stage.database.hold(PEOPLE, 2);
    expect(await talk.decide(card, "approve")).toEqual(DONE);
    await gate.reached();
    expect(await talk.cards()).toMatchObject([{ status: "approved" }]);
    await talk.die();
    await expectEnded(talk);
    expect([...talk.stage.receiver.arrived.values()]).toEqual([1]);
    expect(await results(talk)).toEqual([expect.stringContaining("status 200")]);
  });

  it("[H-57] [T-28] after the call has started: it is not made again, and its outcome is said to be unknown", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    const gate = new Gate();
    talk.stage.receiver.gate = gate;
    await talk.decide(card, "approve");
    await gate.reached();
    await talk.die();
    await expectEnded(talk);
    expect([...talk.stage.receiver.arrived.values()]).toEqual([1]);
    expect(await results(talk)).toEqual([
      expect.stringMatching(/"Anna" approved this call[\s\S]*outcome of this call is unknown/),
    ]);
    expect(await talk.decide(card, "approve")).toEqual(DONE);
    await talk.idle();
    expect(talk.stage.receiver.total).toBe(1);
  });

  it("[H-57] [H-55] after a late approval of a call that left its turn: it runs once, and the model hears of it", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    talk.stage.script = () => ({ text: "All done." });
    await talk.say("never mind");
    await talk.idle();
    const gate = talk.stage.database.hold(PEOPLE, 2);
    expect(await talk.decide(card, "approve")).toEqual(DONE);
    await gate.reached();
    await talk.die();
    await expectEnded(talk);
    expect([...talk.stage.receiver.arrived.values()]).toEqual([1]);
    expect((await talk.transcript()).filter(([kind]) => kind === "notice")).toHaveLength(1);
  });

  it("[W-14] [T-19] in the midst of an answer: the message stands, the answer comes, and a client that comes back sees it once", async () => {
    const talk = await begin(() => ({ text: "Half of an answer", between: untilAborted }));
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    await socket.ask({ type: "send", id: "m1", text: "Hello" }, "receipt");
    await socket.until(() => socket.replica.live.size > 0);
    await talk.die();
    talk.stage.script = () => ({ text: "A whole answer." });
    const again = await ChatSocket.follow(talk.stage, talk.caller);
    expect(await again.ask({ type: "send", id: "m1", text: "Hello" }, "receipt")).toMatchObject({ id: "m1" });
    await expectEnded(talk);
    await again.until(() => again.replica.view?.turn === null);
    expect(again.replica.violations).toEqual([]);
    expect(await talk.transcript()).toEqual([
      ["user", "Hello"],
      ["assistant", "A whole answer."],
    ]);
  });

  it("[W-27] while the list is being told: it is told again, and shows what stands", async () => {
    const talk = await begin(() => ({ text: "Hello." }));
    const gate = talk.stage.database.hold(LIST);
    await talk.say("Plan the week");
    await gate.reached();
    expect(await row(talk)).toBeNull();
    await talk.die();
    await expectEnded(talk);
    expect(await row(talk)).toMatchObject({ title: "Plan the week", state: "idle" });
  });

  it("[W-27] after the list was told and before that was noted: the newest revision wins", async () => {
    const talk = await begin(() => ({ text: "Hello." }));
    await talk.say("Plan the week");
    await talk.idle();
    await talk.rpc.settings(talk.caller, { title: "Weeks" });
    const gate = talk.stage.database.hold(LIST);
    await gate.reached();
    // The answer is on its way when the process dies; an older one arrives later still.
    const stale = (await row(talk))?.rev ?? 0;
    await talk.die();
    await talk.rpc.settings(talk.caller, { title: "Months" });
    await expectEnded(talk);
    gate.open();
    expect((await row(talk))?.rev).toBeGreaterThan(stale);
    expect(await row(talk)).toMatchObject({ title: "Months" });
  });

  it("[H-57] at every step of a held call, one after the other, and it still runs once", async () => {
    const talk = await begin();
    await talk.say("go");
    await talk.die();
    const card = await talk.openCard();
    await talk.die();
    await talk.decide(card, "approve");
    await talk.die();
    await expectEnded(talk);
    expect(talk.stage.receiver.total).toBeLessThanOrEqual(1);
    const [result] = await results(talk);
    expect(result).toMatch(talk.stage.receiver.total === 1 ? /status 200|unknown/ : /unknown/);
    expect((await talk.transcript()).at(-1)).toEqual(["assistant", "All done."]);
  });
});

describe("the list", () => {
  it("[W-27] is told of a new conversation, its title, its card, its end, and a new name", async () => {
    const talk = await begin();
    await talk.told();
    expect(await row(talk)).toMatchObject({ title: "", state: "idle" });
    const card = await talk.toCard("Deploy the page");
    await talk.told();
    expect(await row(talk)).toMatchObject({ title: "Deploy the page", state: "waiting" });
    await talk.decide(card, "decline");
    await talk.idle();
    expect(await row(talk)).toMatchObject({ state: "idle" });
    await talk.rpc.settings(talk.caller, { title: "Deployments" });
    await talk.told();
    expect(await row(talk)).toMatchObject({ title: "Deployments" });
  });

  it("[W-27] says so when the last turn failed", async () => {
    const talk = await begin(() => ({ error: { kind: "auth", message: "The key is wrong.", retryable: false } }));
    await talk.say("Hello");
    await talk.idle();
    expect(await row(talk)).toMatchObject({ state: "failed" });
  });

  it("[W-27] is told once it can be told, while the conversation goes on without it", async () => {
    const talk = await begin(() => ({ text: "Hello." }));
    await talk.told();
    talk.stage.database.fails = LIST;
    await talk.say("Plan the week");
    await until(async () => (await talk.transcript()).length === 2, "the answer");
    await until(async () => (await talk.control()).outbox[0]?.attempts === 1, "a failed delivery");
    expect(await row(talk)).toMatchObject({ title: "" });
    talk.stage.database.fails = () => false;
    await expectEnded(talk);
    expect(await row(talk)).toMatchObject({ title: "Plan the week" });
  });

  it("[W-27] costs no wake-up once it has been told", async () => {
    const talk = await begin(() => ({ text: "Hello." }));
    await talk.say("Hello");
    await talk.idle();
    expect(await talk.alarm()).toBeNull();
    await evictDurableObject(talk.stage.object);
    const { rows, alarms } = { ...talk.stage.counts };
    await talk.snapshot();
    expect([talk.stage.counts.rows - rows, talk.stage.counts.alarms - alarms]).toEqual([0, 0]);
  });
});
