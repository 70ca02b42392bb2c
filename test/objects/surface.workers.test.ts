import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Gate } from "../kit/gate.ts";
import type { Script } from "../kit/scripted-model.ts";
import { SurfaceTalk } from "../kit/surface-talk.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

const webhook = { calls: [{ name: "send_webhook", args: '{"target":"build","body":{"ref":"main"}}' }] };
const ask = { calls: [{ name: "ask_user", args: '{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}' }] };

/** One call for each message that begins with "go!" or "ask!", then a text. */
const oneCall: Script = ({ messages }) => {
  const last = messages.at(-1);
  const said = last?.role === "user" ? last.content.map((part) => ("text" in part ? part.text : "")).join() : "";
  if (said.includes("go!")) return { ...webhook, text: "I will tell the build server." };
  return said.includes("ask!") ? ask : { text: "All done." };
};

const DONE = { ok: true, value: {} };
const refused = (code: string) => ({ ok: false, error: { code } });

async function begin(...options: Parameters<typeof SurfaceTalk.begin>): Promise<SurfaceTalk> {
  const talk = await SurfaceTalk.begin(...options);
  talk.stage.script = oneCall;
  return talk;
}

describe("a message on a network", () => {
  it("[X-61] makes the conversation of its channel and is answered there, once", async () => {
    const talk = await begin();
    expect(await talk.say("Hello", { id: "one" })).toMatchObject({ ok: true, value: { status: "placed" } });
    await until(() => talk.texts.length > 0, "a reply");
    expect(await talk.say("Hello", { id: "one" })).toMatchObject({ ok: true });
    await talk.talk.idle();
    expect(talk.texts).toEqual(["All done."]);
    expect(await talk.say("Other words", { id: "one" })).toMatchObject(refused("conflict"));
  });

  it("[X-62] of nobody, of a guest, of somebody switched off and of a bot makes no conversation", async () => {
    const talk = await begin();
    const off = await newPerson();
    await env.DB.prepare("update principals set disabled_at = 1 where id = ?").bind(off.principalId).run();
    const nobody = { identity: "test:nobody" };
    for (const by of [nobody, await newPerson("guest"), off]) {
      expect(await talk.say("Hello", { by })).toMatchObject(refused("forbidden"));
    }
    expect(await talk.say("Hello", { isBot: true })).toMatchObject(refused("forbidden"));
    expect(await talk.talk.rpc.snapshot(talk.caller)).toMatchObject(refused("not_found"));
  });

  it("[X-62] [V-94] reaches no conversation of the web chat, and none by another's channel", async () => {
    const web = await Talk.begin();
    const { rpc, caller, stage } = web;
    const message = { id: "x", identity: caller.identity, isBot: false, isDirect: true, text: "Hello", sentAt: 1 };
    const body = { hold: "h", digest: "d", decision: "approve" } as const;
    const answers = [
      await rpc.hear({ ...message, channel: stage.key }),
      await rpc.press(caller, body),
      await rpc.reply(caller, { prompt: "q1", answers: [null] }),
      await rpc.halt(caller),
    ];
    for (const answer of answers) expect(answer).toMatchObject(refused("not_found"));
    expect(await web.transcript()).toEqual([]);
    const talk = await begin();
    expect(await talk.rpc.hear({ ...message, channel: stage.key })).toMatchObject(refused("not_found"));
    expect(await talk.rpc.hear({ ...message, channel: "test:other" })).toMatchObject(refused("not_found"));
  });

  it("[X-63] is heard in a private conversation from its person alone, and takes a speaker into a shared one", async () => {
    const bert = await newPerson("member", "Bert");
    const own = await begin();
    await own.say("Hello");
    expect(await own.say("Hello", { by: bert })).toMatchObject(refused("not_found"));
    const shared = await begin({ isShared: true });
    await shared.say("Hello");
    expect(await shared.rpc.snapshot(bert)).toMatchObject(refused("not_found"));
    expect(await shared.say("Hello", { by: bert })).toMatchObject({ ok: true });
    expect(await shared.rpc.snapshot(bert)).toMatchObject({ ok: true });
  });
});

describe("a card on a network", () => {
  it("[X-66] [X-68] is shown after the words before it, pressed, and closed with what became of it", async () => {
    const talk = await begin();
    await talk.say("go!");
    await until(() => talk.cards.length > 0, "a card");
    expect(talk.texts).toEqual(["I will tell the build server."]);
    expect(talk.shown.at(-1)?.card).toMatchObject({ tool: "send_webhook", status: "open" });
    expect(await talk.press("approve", { identity: "test:nobody" })).toMatchObject(refused("unauthenticated"));
    expect(await talk.press("approve")).toEqual(DONE);
    await until(() => talk.texts.length > 1 && talk.cards[0]?.closed !== undefined, "the end");
    expect(talk.cards[0]?.closed).toMatch(/"Anna" approved this/);
    expect(talk.texts.at(-1)).toBe("All done.");
    expect(talk.stage.receiver.total).toBe(1);
  });

  it("[X-68] [H-142] is brought up by a message, which approves nothing, and every showing is closed", async () => {
    const talk = await begin();
    await talk.say("go!");
    await until(() => talk.cards.length === 1, "a card");
    await talk.say("yes");
    await until(() => talk.cards.length === 2, "the card again");
    expect(talk.stage.receiver.total).toBe(0);
    expect(talk.cards.map(({ card }) => card?.hold)).toEqual([talk.cards[0]?.card?.hold, talk.cards[0]?.card?.hold]);
    await talk.press("decline");
    await until(() => talk.cards.every(({ closed }) => closed !== undefined), "both to be closed");
    expect(talk.cards.map(({ closed }) => closed)).toEqual([
      expect.stringContaining("declined"),
      expect.stringContaining("declined"),
    ]);
  });
});

describe("a network without cards", () => {
  it("[H-131] [H-137] lists a call below the reply, and a message runs it", async () => {
    const talk = await begin({ prompts: false });
    await talk.say("go!");
    await until(() => talk.texts.some((text) => text.includes("waits for your answer")), "a list");
    expect(talk.texts.at(-1)).toContain('body: {"ref":"main"}');
    await talk.say("yes", { sentAt: 1 });
    await talk.talk.idle();
    expect(talk.stage.receiver.total, "a message from before the list").toBe(0);
    await talk.say("yes");
    await until(() => talk.stage.receiver.total > 0, "the effect");
    await talk.talk.idle();
    expect(talk.stage.receiver.total).toBe(1);
  });

  it("[H-134] is judged at the configured confidence", async () => {
    const talk = await begin({ prompts: false });
    talk.stage.config = { ...talk.stage.config, policy: { messageConfidence: 0.99 } };
    await talk.say("go!");
    await until(() => talk.texts.some((text) => text.includes("waits for your answer")), "a list");
    await talk.say("yes");
    await talk.talk.idle();
    expect(talk.judged).toEqual(["yes"]);
    expect(talk.stage.receiver.total).toBe(0);
  });

  it("[X-69] has the model ask its question in the reply", async () => {
    const talk = await begin({ prompts: false });
    await talk.say("ask!");
    await until(() => talk.texts.length > 0, "a reply");
    const results = (await talk.talk.transcript()).filter(([kind]) => kind === "tool_result");
    expect(results).toEqual([["tool_result", expect.stringContaining("Ask it in your reply")]]);
  });
});

describe("while a turn runs", () => {
  it("[X-70] its calls are told by name, typing and the stop control stand until its end", async () => {
    const talk = await begin();
    await talk.say("go!");
    await until(() => talk.cards.length === 1, "a card");
    expect(talk.network.presence(talk.channel)).toEqual({ typing: 1, stops: 1 });
    await talk.press("approve");
    await until(() => talk.texts.includes("All done."), "the reply");
    expect(talk.network.presence(talk.channel)).toEqual({ typing: 0, stops: 0 });
    expect(talk.network.progress.map((line) => ("tool" in line ? [line.tool, line.state] : []))).toEqual([
      ["send_webhook", "started"],
      ["send_webhook", "done"],
    ]);
  });

  it("[X-70] another life shows them anew, and the reply ends what a dead one began", async () => {
    const talk = await begin();
    await talk.say("go!");
    await until(() => talk.cards.length === 1, "a card");
    await talk.talk.die();
    Object.assign(talk.network.presence(talk.channel), { typing: 0, stops: 0 });
    expect(await talk.rpc.halt({ identity: "test:nobody" })).toMatchObject(refused("unauthenticated"));
    await talk.talk.snapshot();
    expect(talk.network.presence(talk.channel)).toEqual({ typing: 1, stops: 1 });
    expect(await talk.rpc.halt(talk.caller)).toEqual({ ok: true, value: { stopped: true } });
    await until(() => talk.texts.includes("Stopped.") && talk.cards[0]?.closed !== undefined, "the end");
    expect(talk.network.presence(talk.channel)).toEqual({ typing: 0, stops: 0 });
    expect(talk.stage.receiver.total).toBe(0);
  });

  it("[X-101] what waits behind it is marked and unmarked over deaths in between, and a network that refuses marks keeps nothing back", async () => {
    const gates = { react: new Gate(), unreact: new Gate() };
    const held = { react: true, unreact: true };
    const through = async (what: "react" | "unreact") => {
      if (held[what]) await gates[what].pass();
    };
    const talk = await begin({
      isShared: true,
      adapt: (whole) => ({
        ...whole,
        async react(...mark) {
          await through("react");
          await whole.react?.(...mark);
        },
        async unreact(...mark) {
          await through("unreact");
          await whole.unreact?.(...mark);
          throw new Error("no such reaction");
        },
      }),
    });
    await talk.say("go!");
    await until(() => talk.cards.length === 1, "a card");
    await talk.say("Wait for me", { by: await newPerson("member", "Bert") });
    const dieIn = async (what: "react" | "unreact") => {
      await gates[what].reached();
      await talk.talk.die();
      held[what] = false;
      gates[what].open();
      await talk.talk.snapshot();
    };
    await dieIn("react");
    await until(() => talk.marked.includes("Wait for me"), "the mark");
    await talk.press("decline");
    await dieIn("unreact");
    await until(() => talk.marked.length === 0, "the mark to go");
    await talk.talk.idle();
    expect(talk.texts.slice(-2)).toEqual(["All done.", "All done."]);
    await until(async () => (await talk.talk.alarm()) === null, "the conversation to rest");
  });
});
