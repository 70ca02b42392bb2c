import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool, type ModelRequest } from "../../src/kernel/index.ts";
import type { ChatView } from "../../src/protocol/view.ts";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import { Gate } from "../kit/gate.ts";
import { memberTools } from "../kit/member-tools.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";

const DONE = { ok: true, value: {} };
const WEBHOOK = { name: "send_webhook", args: '{"target":"build","body":{}}' };

const toolsOf = async (talk: Talk) =>
  ((await talk.snapshot()).view.plugins["chat"] as unknown as ChatView).tools.map(
    ({ name, on }) => [name, on] as const,
  );
const offOf = async (talk: Talk) => (await toolsOf(talk)).flatMap(([name, on]) => (on ? [] : [name]));
const offered = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? [];
const switchTo = (talk: Talk, tools: { readonly [name: string]: boolean }) => talk.rpc.settings(talk.caller, { tools });
const results = async (talk: Talk) =>
  (await talk.transcript()).flatMap(([kind, text]) => (kind === "tool_result" ? [text] : []));

/** What the next message is answered with tools offered. */
async function nextOffer(talk: Talk): Promise<readonly string[]> {
  await talk.say("Hello");
  await talk.idle();
  return offered(talk.stage.model.requests.at(-1));
}

/** Calls a tool when it is told to go, then answers. */
const calling = (call: { readonly name: string; readonly args: string }) => (request: ModelRequest) =>
  JSON.stringify(request.messages.at(-1) ?? null).includes('"go"') ? { calls: [call] } : { text: "Done." };

describe("tool switches", () => {
  it("[W-32] every tool of the deployment is listed, on until it is switched off", async () => {
    const talk = await Talk.begin();
    const all = await toolsOf(talk);
    expect(all.map(([, on]) => on)).not.toContain(false);
    expect(await nextOffer(talk)).toEqual(all.map(([name]) => name));
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    expect(await switchTo(talk, { calculate: false })).toEqual(DONE);
    expect(await offOf(talk)).toEqual(["calculate"]);
    const { rev } = await talk.snapshot();
    await socket.until(() => socket.replica.rev === rev);
    expect([socket.replica.violations, socket.replica.view]).toEqual([[], (await talk.snapshot()).view]);
  });

  it("[W-32] an unknown name is refused with the nearest, and nothing is changed, titles included", async () => {
    const talk = await Talk.begin();
    await talk.told();
    const before = JSON.stringify(await talk.stored());
    const change = { title: "New", tools: { add_note: false, calculat: false } };
    expect(await talk.rpc.settings(talk.caller, change)).toMatchObject({
      error: { code: "bad_request", message: expect.stringContaining("did you mean calculate?") },
    });
    await talk.told();
    expect(JSON.stringify(await talk.stored())).toBe(before);
  });

  it("[W-33] [W-34] what is off is not offered, also after a restart; on again it has its old place", async () => {
    const talk = await Talk.begin();
    const all = await nextOffer(talk);
    await switchTo(talk, { calculate: false, add_note: false });
    const fewer = all.filter((name) => name !== "calculate" && name !== "add_note");
    expect(await nextOffer(talk)).toEqual(fewer);
    await evictDurableObject(talk.stage.object);
    expect(await nextOffer(talk)).toEqual(fewer);
    await switchTo(talk, { calculate: true });
    expect(await nextOffer(talk)).toEqual(all.filter((name) => name !== "add_note"));
    await switchTo(talk, { add_note: true });
    expect(await nextOffer(talk)).toEqual(all);
    expect(await offOf(talk)).toEqual([]);
  });

  it("[W-34] going back brings a tool back that was switched off since, and takes one away that was switched on", async () => {
    const talk = await Talk.begin();
    await switchTo(talk, { add_note: false });
    const then = await nextOffer(talk);
    const entry = (await talk.snapshot()).view.entries.at(-1)?.id ?? 0;
    await switchTo(talk, { add_note: true, calculate: false });
    expect(await nextOffer(talk)).not.toEqual(then);
    expect(await talk.rpc.rewind(talk.caller, entry)).toEqual(DONE);
    expect(await offOf(talk)).toEqual(["add_note"]);
    expect(await nextOffer(talk)).toEqual(then);
    expect(then).toContain("calculate");
    await talk.rpc.rewind(talk.caller, 0);
    expect(await offOf(talk)).toEqual([]);
    expect(await nextOffer(talk)).toEqual((await toolsOf(talk)).map(([name]) => name));
  });
});

describe("a fork", () => {
  it("[W-34] has the switches of the entry that it begins at, whatever was switched since", async () => {
    const talk = await Talk.begin();
    await switchTo(talk, { add_note: false });
    const then = await nextOffer(talk);
    const entry = (await talk.snapshot()).view.entries.at(-1)?.id ?? 0;
    await switchTo(talk, { add_note: true, calculate: false });
    const fork = await talk.fork(entry);
    await fork.idle();
    expect(await offOf(fork)).toEqual(["add_note"]);
    expect(await nextOffer(fork)).toEqual(then);
    expect(await offOf(talk)).toEqual(["calculate"]);
  });
});

describe("a switch in the midst of a turn", () => {
  it("[W-33] a call that runs is finished, and the next step is offered what is on then", async () => {
    const stage = new Stage();
    const gate = new Gate();
    const dig = defineTool({
      name: "dig",
      description: "Digs.",
      input: z.object({}),
      async execute() {
        await gate.pass();
        return { text: "Dug." };
      },
    });
    stage.plugins = (builtIn) => [...builtIn, memberTools("digging", dig)];
    stage.script = calling({ name: "dig", args: "{}" });
    const talk = await Talk.begin(stage);
    await talk.say("go");
    await gate.reached();
    expect(await switchTo(talk, { dig: false, calculate: false })).toEqual(DONE);
    gate.open();
    await talk.idle();
    expect(await results(talk)).toEqual(["Dug."]);
    const [first, second] = stage.model.requests.map(offered);
    expect(first).toEqual(expect.arrayContaining(["dig", "calculate"]));
    expect(second).toEqual(first?.filter((name) => name !== "dig" && name !== "calculate"));
  });

  it("[W-33] a call that comes of the request under way does not run any more, and the model is told", async () => {
    const talk = await Talk.begin();
    const gate = new Gate();
    const calculate = { name: "calculate", args: '{"expression":"1+1"}' };
    talk.stage.script = (request) => {
      const answer = calling(calculate)(request);
      return "calls" in answer ? { ...answer, text: "Let me see.", between: () => gate.pass() } : answer;
    };
    await talk.say("go");
    await gate.reached();
    await switchTo(talk, { calculate: false });
    gate.open();
    await talk.idle();
    expect(await results(talk)).toEqual([expect.stringContaining("not available")]);
    expect((await talk.transcript()).at(-1)).toEqual(["assistant", "Done."]);
  });
});

describe("the gate", () => {
  it("[W-35] has the last word after everything was switched off and on, live and after a restart", async () => {
    const stage = new Stage();
    stage.script = calling(WEBHOOK);
    const talk = await Talk.begin(stage);
    const names = (await toolsOf(talk)).map(([name]) => name);
    const all = (on: boolean) => Object.fromEntries(names.map((name) => [name, on]));
    await switchTo(talk, all(false));
    expect(await nextOffer(talk)).toEqual([]);
    await switchTo(talk, all(true));
    for (const restart of [false, true]) {
      if (restart) await evictDurableObject(stage.object);
      const card = await talk.toCard();
      expect(stage.receiver.total).toBe(0);
      await talk.decide(card, "decline");
      await talk.idle();
    }
    const card = await talk.toCard();
    await talk.decide(card, "approve");
    await talk.idle();
    expect(stage.receiver.total).toBe(1);
  });

  it("[W-35] a call whose tool is off does not run by being approved, live and after a restart", async () => {
    for (const restart of [false, true]) {
      const stage = new Stage();
      stage.script = calling(WEBHOOK);
      const talk = await Talk.begin(stage);
      const card = await talk.toCard();
      await switchTo(talk, { send_webhook: false });
      if (restart) await evictDurableObject(stage.object);
      await talk.decide(card, "approve");
      await talk.idle();
      expect(stage.receiver.total).toBe(0);
      expect((await talk.snapshot()).view.turn).toBeNull();
      expect(await results(talk)).toEqual([expect.stringMatching(/not available|did not run/)]);
    }
  });
});
