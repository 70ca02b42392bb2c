import { env, evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { definePlugin } from "../../src/host/index.ts";
import { principalOf } from "../../src/objects/principal/principal-rpc.ts";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import type { Script } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";
import { passTime, restoreClock } from "../kit/wall-clock.ts";

afterEach(restoreClock);

const HOUR = 3_600_000;
const DONE = { ok: true, value: {} };
const PEOPLE = (query: string) => query.includes('from "principals"');

const sql = (query: string, ...values: unknown[]) =>
  env.DB.prepare(query)
    .bind(...values)
    .run();

const webhook = (body: object = { ref: "main" }) => ({
  calls: [{ name: "send_webhook", args: JSON.stringify({ target: "build", body }) }],
});

/** One webhook for each message that says "go", then a text. */
const oneWebhook: Script = ({ messages }) => {
  const last = messages.at(-1);
  const said = last?.role === "user" && last.content[0]?.type === "text" ? last.content[0].text : "";
  return said.startsWith("go") ? webhook() : { text: "All done." };
};

async function begin(script: Script = oneWebhook): Promise<Talk> {
  const stage = new Stage();
  stage.script = script;
  return Talk.begin(stage);
}

/** What the model was told of its calls, as it stands in the transcript. */
const told = async (talk: Talk) =>
  (await talk.transcript()).flatMap(([kind, text]) => (kind === "tool_result" || kind === "notice" ? [text] : []));

describe("a card", () => {
  it("[H-48] comes with the commit in which its call begins to wait, and D1's list says so", async () => {
    const talk = await begin();
    // The first message tells the list by itself, for the title.
    await talk.say("Hello");
    await talk.idle();
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    const card = await talk.toCard();
    await socket.until(() => socket.replica.cards.length > 0);
    const opening = socket.frames.find(
      (frame) => frame.type === "commit" && JSON.stringify(frame.ops).includes(card.hold),
    );
    expect(opening).toMatchObject({ events: [{ type: "tool.waiting", task: card.task, on: "holds" }] });
    expect(socket.replica.view?.turn?.stage).toBe("waiting");
    await talk.told();
    const row = await env.DB.prepare("select state from conversations where key = ?").bind(talk.stage.key).first();
    expect(row).toEqual({ state: "waiting" });
    expect(talk.stage.receiver.total).toBe(0);
  });

  it("[H-34] [H-40] shows what would run, and serves each argument whole", async () => {
    const log = "many words ".repeat(2_000);
    const talk = await begin(({ messages }) =>
      messages.at(-1)?.role === "user" ? webhook({ log }) : { text: "Done." },
    );
    const card = await talk.toCard();
    expect(card).toMatchObject({
      tool: "send_webhook",
      action: "POST JSON to the build server",
      target: "the build server (build.example)",
      askedBy: "Anna",
      truncated: true,
    });
    expect(await talk.rpc.holdArgument(talk.caller, card.hold, "body")).toEqual({
      ok: true,
      value: { value: JSON.stringify({ log }) },
    });
    await talk.decide(card, "approve");
    await talk.idle();
    expect(talk.stage.receiver.bodies).toEqual([JSON.stringify({ log })]);
  });
});

describe("approving", () => {
  it("[H-12] runs the call exactly once, under a key of its own, and the model is told by whom", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    expect(await talk.decide(card, "approve", { note: "on it" })).toEqual(DONE);
    await talk.idle();
    expect([...talk.stage.receiver.arrived]).toEqual([[`${talk.stage.key}/${card.task}`, 1]]);
    expect(talk.stage.receiver.bodies).toEqual(['{"ref":"main"}']);
    const [result] = await told(talk);
    expect(result).toMatch(/^"Anna" approved this call and said "on it"\.\nthe build server answered with status 200/);
    expect(await talk.cards()).toEqual([]);
    expect(await talk.alarm()).toBeNull();
  });

  it("[H-12] [H-17] [H-18] [E-19] pressed on two sockets at one instant: one wins, it runs once, both come to the same", async () => {
    for (const decisions of [
      ["approve", "approve"],
      ["approve", "decline"],
      ["decline", "approve"],
    ] as const) {
      const talk = await begin();
      const card = await talk.toCard();
      const sockets = [
        await ChatSocket.follow(talk.stage, talk.caller),
        await ChatSocket.follow(talk.stage, talk.caller),
      ];
      for (const [n, decision] of decisions.entries()) {
        sockets[n]?.send({ type: "decide", hold: card.hold, digest: card.digest, decision });
      }
      await talk.idle();
      const { rev, view } = await talk.snapshot();
      for (const { replica } of sockets) {
        await until(() => replica.rev === rev, "both sockets to be current");
        expect(replica.view).toEqual(view);
        expect(replica.violations).toEqual([]);
      }
      const isSplit = new Set(decisions).size === 2;
      const errors = sockets.flatMap(({ frames }) => frames.filter(({ type }) => type === "error"));
      expect(errors).toHaveLength(isSplit ? 1 : 0);
      if (isSplit) expect(errors[0]).toMatchObject({ code: "already_decided", ref: card.hold });
      const [result] = await told(talk);
      expect(talk.stage.receiver.total).toBe(result?.includes("approved") ? 1 : 0);
    }
  });

  it("[H-50] [W-22] [trap 5] after an eviction the press itself wakes the object, and the call runs once", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    await talk.told();
    await evictDurableObject(talk.stage.object);
    expect(await talk.decide(card, "approve")).toEqual(DONE);
    await talk.idle();
    expect(talk.stage.receiver.total).toBe(1);
  });

  it("[H-50] the check that a wake brings may end after the press: the approval counts all the same", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    await talk.told();
    await evictDurableObject(talk.stage.object);
    // First comes the question who presses; the next is the gate's, which the wake lets look again.
    const gate = talk.stage.database.hold(PEOPLE, 1);
    const pressed = talk.decide(card, "approve");
    await gate.reached();
    expect(await pressed).toEqual(DONE);
    gate.open();
    await talk.idle();
    expect(talk.stage.receiver.total).toBe(1);
  });
});

describe("editing, then approving", () => {
  const edited = { target: "build", body: { ref: "release" } };

  it("[H-60] [H-63] posts what the person wrote, once, though the object is evicted in between", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    await talk.told();
    await evictDurableObject(talk.stage.object);
    expect(await talk.decide(card, "approve", { input: edited })).toEqual(DONE);
    await talk.idle();
    expect(talk.stage.receiver.bodies).toEqual(['{"ref":"release"}']);
    const [result] = await told(talk);
    expect(result).toContain(
      '"Anna" edited its arguments. It ran with these: {"body":{"ref":"release"},"target":"build"}',
    );
    expect((await talk.snapshot()).view.entries).toContainEqual(
      expect.objectContaining({ kind: "holds.edit", data: expect.objectContaining({ input: edited }) }),
    );
  });

  it("[H-60] names what does not fit, and the card stays", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    const wrong = { input: { target: "nowhere", body: {} } };
    const answer = await talk.decide(card, "approve", wrong);
    expect(answer).toMatchObject({ ok: false, error: { code: "bad_request", ref: card.hold } });
    expect(await talk.cards()).toMatchObject([{ hold: card.hold, status: "open" }]);
  });
});

describe("beside deciding", () => {
  it("[H-69] an extended card is waited for until its new time, by the alarm", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    await talk.told();
    await evictDurableObject(talk.stage.object);
    const until = card.deadline + 24 * HOUR;
    expect(await talk.rpc.actOnCard(talk.caller, card.hold, { kind: "extend", until })).toEqual(DONE);
    await talk.told();
    expect(await talk.alarm()).toBe(until - HOUR);
    expect(await talk.cards()).toMatchObject([{ hold: card.hold, deadline: until }]);
  });

  it("[H-67] a card that expired is asked again, and the fresh one runs the stored call once", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    await talk.told();
    passTime(24 * HOUR);
    expect(await talk.decide(card, "approve")).toMatchObject({ ok: false, error: { code: "expired" } });
    await talk.idle();
    expect(await talk.rpc.actOnCard(talk.caller, card.hold, { kind: "ask_again" })).toEqual(DONE);
    const fresh = await talk.openCard();
    expect(fresh.hold).not.toBe(card.hold);
    await talk.told();
    await evictDurableObject(talk.stage.object);
    expect(await talk.decide(fresh, "approve")).toEqual(DONE);
    await talk.idle();
    expect(talk.stage.receiver.bodies).toEqual(['{"ref":"main"}']);
  });

  it("[H-71] three cards are declined at once, with an outcome each", async () => {
    const bodies = [{ ref: "a" }, { ref: "b" }, { ref: "c" }];
    const talk = await begin(({ messages }) =>
      messages.at(-1)?.role === "user"
        ? { calls: bodies.flatMap((body) => webhook(body).calls) }
        : { text: "All done." },
    );
    await talk.say("go");
    await until(async () => (await talk.cards()).length === 3, "three cards");
    const cards = (await talk.cards()).map(({ hold, digest }) => ({ hold, digest }));
    const answer = await talk.rpc.decideMany(talk.caller, { cards, decision: "decline" });
    expect(answer).toEqual({ ok: true, value: { outcomes: cards.map(({ hold }) => ({ hold })) } });
    await talk.idle();
    expect(talk.stage.receiver.total).toBe(0);
  });
});

describe("declining", () => {
  it("[H-43] is told to the model, which goes on", async () => {
    const talk = await begin();
    await talk.decide(await talk.toCard(), "decline", { note: "not on Fridays" });
    await talk.idle();
    const [result] = await told(talk);
    expect(result).toContain('"Anna" declined this call of send_webhook and said "not on Fridays". It did not run.');
    expect((await talk.transcript()).at(-1)).toEqual(["assistant", "All done."]);
    expect(talk.stage.receiver.total).toBe(0);
  });

  it("[H-44] twice in a turn ends the asking", async () => {
    const results = (messages: readonly { readonly role: string }[]) =>
      messages.filter(({ role }) => role === "tool").length;
    const talk = await begin(({ messages }) => (results(messages) < 3 ? webhook() : { text: "I give up." }));
    await talk.decide(await talk.toCard(), "decline");
    await talk.decide(await talk.openCard(), "decline");
    await talk.idle();
    expect((await told(talk)).map((text) => text.includes("declined twice in this turn"))).toEqual([
      false,
      false,
      true,
    ]);
    expect((await talk.transcript()).at(-1)).toEqual(["assistant", "I give up."]);
  });
});

describe("time", () => {
  it("[H-22] a press after the deadline says so, and the call has expired", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    passTime(24 * HOUR);
    expect(await talk.decide(card, "approve")).toMatchObject({ ok: false, error: { code: "expired", ref: card.hold } });
    await talk.idle();
    expect(await told(talk)).toEqual([expect.stringContaining("expired and will not run")]);
    expect(talk.stage.receiver.total).toBe(0);
  });

  it("[H-22] [H-23] [J-44] the alarm reminds an hour before the deadline and ends the card at it, with nobody there", async () => {
    const talk = await begin();
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    const card = await talk.toCard();
    await talk.told();
    expect(await talk.alarm()).toBe(card.deadline - HOUR);
    const { rev } = await talk.snapshot();
    await evictDurableObject(talk.stage.object);
    passTime(card.deadline - HOUR - Date.now());
    expect(await runDurableObjectAlarm(talk.stage.object)).toBe(true);
    const reminder = { type: "plugin.holds.reminder", hold: card.hold };
    await socket.until(() =>
      socket.frames.some((frame) => frame.type === "commit" && frame.events.length > 0 && frame.rev > rev),
    );
    expect(socket.frames.at(-1)).toMatchObject({ events: expect.arrayContaining([reminder]) });
    expect(await talk.alarm()).toBe(card.deadline);
    expect(await talk.cards()).toMatchObject([{ hold: card.hold, status: "open" }]);
    const notices = () => principalOf(env, talk.caller.principalId).notices();
    await until(async () => (await notices()).length > 0, "the notice");
    expect(await notices()).toMatchObject([{ id: `hold:${card.hold}:reminder`, link: `/chat/${talk.stage.id}` }]);
    passTime(HOUR);
    expect(await runDurableObjectAlarm(talk.stage.object)).toBe(true);
    await talk.idle();
    expect(await told(talk)).toEqual([expect.stringContaining("expired and will not run")]);
    expect(await talk.alarm()).toBeNull();
  });

  it("[H-51] stopping takes the card away, and a press on it is too late", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    expect(await talk.rpc.stop(talk.caller)).toEqual({ ok: true, value: { stopped: true } });
    await talk.idle();
    expect(await talk.cards()).toEqual([]);
    expect(await talk.decide(card, "approve")).toMatchObject({ ok: false, error: { code: "already_decided" } });
    expect(talk.stage.receiver.total).toBe(0);
    await talk.told();
    expect(await talk.alarm()).toBeNull();
  });
});

describe("a message while the card waits", () => {
  it("[H-55] [T-33] [T-34] [trap 16] lets the call go; a late approval runs it once, and the model hears of it from the system", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    expect(await talk.say("never mind, what time is it?")).toMatchObject({ value: { status: "queued" } });
    await until(async () => (await talk.control()).turn === null, "the turn to end without the call");
    expect(await told(talk)).toEqual([expect.stringContaining("waits for approval and has not run")]);
    await talk.told();
    await evictDurableObject(talk.stage.object);
    passTime(5 * HOUR);
    expect(await Promise.all([talk.decide(card, "approve"), talk.decide(card, "approve")])).toEqual([DONE, DONE]);
    await talk.idle();
    expect(talk.stage.receiver.total).toBe(1);
    const lines = await talk.transcript();
    const notice = lines.findIndex(([kind]) => kind === "notice");
    expect(lines[notice]?.[1]).toMatch(
      /^\[System\] The call of send_webhook that was waiting has run\. Decided by Anna\./,
    );
    expect(lines[notice + 1]).toEqual(["assistant", "All done."]);
    const last = talk.stage.model.requests.at(-1)?.messages ?? [];
    expect(last.filter(({ role }) => role === "tool")).toHaveLength(1);
    expect(last.at(-1)).toMatchObject({ role: "user" });
  });
});

describe("what changed since the card was shown", () => {
  it("[H-13] [H-46] a deploy that moved the webhook: the card ends as changed, whether pressed or not", async () => {
    for (const isPressed of [true, false]) {
      const talk = await begin();
      const card = await talk.toCard();
      await talk.told();
      await evictDurableObject(talk.stage.object);
      talk.stage.config = { webhooks: { build: { url: "https://elsewhere.example/", label: "the build server" } } };
      const looked = isPressed ? await talk.decide(card, "approve") : await talk.snapshot();
      if (isPressed) expect(looked).toMatchObject({ ok: false });
      await talk.idle();
      expect(await told(talk)).toEqual([expect.stringMatching(/has changed since it was shown \(version, .*target\)/)]);
      expect(talk.stage.receiver.total).toBe(0);
    }
  });

  it("[H-13] a deploy without the tool: nothing runs", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    await talk.told();
    await evictDurableObject(talk.stage.object);
    talk.stage.plugins = (builtIn) => builtIn.filter(({ name }) => name !== "webhook");
    await talk.decide(card, "approve");
    await talk.idle();
    expect(await told(talk)).toEqual([expect.stringContaining("not available any more")]);
    expect(talk.stage.receiver.total).toBe(0);
  });

  const STRICTER = () => ({ text: "POST JSON to the build server", minTier: "owner" as const });

  it("[H-13] a rule that asks for more: an approval that was enough is not", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    await talk.told();
    await evictDurableObject(talk.stage.object);
    talk.stage.plugins = (builtIn) =>
      builtIn.map((plugin) =>
        plugin.name === "webhook"
          ? definePlugin({ ...plugin, setup: (context) => ({ ...plugin.setup(context), holdRules: [STRICTER] }) })
          : plugin,
      );
    expect(await talk.decide(card, "approve")).toMatchObject({ ok: false });
    await talk.idle();
    expect(await told(talk)).toEqual([expect.stringMatching(/minimum tier/)]);
    expect(talk.stage.receiver.total).toBe(0);
  });

  const losses = [
    [
      "disabled",
      "update principals set disabled_at = 1 where id = ?",
      "update principals set disabled_at = null where id = ?",
    ],
    [
      "demoted",
      "update principals set tier = 'guest' where id = ?",
      "update principals set tier = 'member' where id = ?",
    ],
  ] as const;

  it.each(losses)(
    "[W-18] [W-19] [H-25] the speaker, %s before the press: refused at once; back again, it counts",
    async (_what, lose, regain) => {
      const talk = await begin();
      const card = await talk.toCard();
      const socket = await ChatSocket.follow(talk.stage, talk.caller);
      await sql(lose, talk.caller.principalId);
      socket.send({ type: "decide", hold: card.hold, digest: card.digest, decision: "approve" });
      await socket.until(() => socket.closed !== undefined);
      expect(socket.closed?.code).toBe(4403);
      await sql(regain, talk.caller.principalId);
      passTime(30_000);
      expect(await talk.cards()).toMatchObject([{ status: "open" }]);
      expect(await talk.decide(card, "approve")).toEqual(DONE);
      await talk.idle();
      expect(talk.stage.receiver.total).toBe(1);
    },
  );

  it.each(losses)(
    "[H-13] [trap 47] the speaker, %s between press and start: the approval is void",
    async (_what, lose) => {
      const talk = await begin();
      const card = await talk.toCard();
      // The press asks twice; the third question is the gate's.
      const gate = talk.stage.database.hold(PEOPLE, 2);
      expect(await talk.decide(card, "approve")).toEqual(DONE);
      await gate.reached();
      await sql(lose, talk.caller.principalId);
      gate.open();
      await until(async () => (await talk.control()).turn === null, "the turn to end");
      expect(JSON.stringify(await talk.stored())).toContain("has changed since it was shown (approver)");
      expect(talk.stage.receiver.total).toBe(0);
    },
  );
});

describe("a directory that is away", () => {
  it.each([0, 1])("[W-19] at question %i of a press: the card stays open, try again; then it counts", async (nth) => {
    const talk = await begin();
    const card = await talk.toCard();
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    await talk.told();
    const stored = await talk.stored();
    let asked = 0;
    talk.stage.database.fails = (query) => PEOPLE(query) && asked++ >= nth;
    const press = { type: "decide", hold: card.hold, digest: card.digest, decision: "approve" } as const;
    expect(await socket.ask(press, "error")).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("try again"),
    });
    expect(socket.closed).toBeUndefined();
    expect(await talk.stored()).toEqual(stored);
    talk.stage.database.fails = () => false;
    socket.send(press);
    await talk.idle();
    expect(talk.stage.receiver.total).toBe(1);
  });

  it("[H-52] between press and start: the call waits and runs once when it is back", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    let asked = 0;
    talk.stage.database.fails = (query) => PEOPLE(query) && asked++ >= 2;
    expect(await talk.decide(card, "approve")).toEqual(DONE);
    await until(
      async () => JSON.stringify((await talk.control()).tasks).includes('"parked"'),
      "the call to wait again",
    );
    expect(talk.stage.receiver.total).toBe(0);
    talk.stage.database.fails = () => false;
    passTime(5_000);
    await runDurableObjectAlarm(talk.stage.object);
    await talk.idle();
    expect(talk.stage.receiver.total).toBe(1);
  });
});
