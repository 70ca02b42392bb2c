import { evictDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import { Gate } from "../kit/gate.ts";
import { Talk } from "../kit/talk.workers.ts";
import { passTime, restoreClock } from "../kit/wall-clock.ts";

afterEach(restoreClock);

const NATIVE = { family: "test", blocks: ["the vendor's own"] };
const refused = (code: string) => ({ ok: false, error: { code } });

/** A conversation of one answered message, and the entry of its answer. */
async function begin() {
  const talk = await Talk.begin();
  talk.stage.script = (_, nth) => ({ text: `Answer ${nth + 1}.`, native: NATIVE });
  await talk.say("Hello");
  await talk.idle();
  const answer = (await talk.snapshot()).view.entries.at(-1)?.id ?? 0;
  return { talk, answer };
}

describe("what was sent", () => {
  it("[V-29] [K-67] is what the model got, to the byte, whatever happened since, but for the vendors' own blocks", async () => {
    const { talk } = await begin();
    await talk.say("And then?");
    await talk.idle();
    const { view } = await talk.snapshot();
    const answer = view.entries.at(-1)?.id ?? 0;
    const [, second] = talk.stage.model.requests;
    expect(JSON.stringify(second)).toContain("the vendor's own");
    await talk.rpc.settings(talk.caller, { tools: { calculate: false }, thinking: "high" });
    await talk.rpc.rewind(talk.caller, 0);
    await talk.say("Something else");
    await talk.idle();
    await evictDurableObject(talk.stage.object);
    const sent = await talk.rpc.sentRequest(talk.caller, answer);
    if (!sent.ok || !second) throw new Error("nothing was sent");
    const { cutoff, ...request } = sent.value;
    const shown = second.messages.map((message) => {
      const { native: _private, ...rest } = { native: undefined, ...message };
      return rest;
    });
    expect(request).toEqual({ ...second, messages: shown });
    expect(JSON.stringify(sent)).not.toContain("the vendor's own");
    expect(cutoff).toBeLessThan(answer);
  });

  it("[V-29] for what a person said nothing was sent, and nothing for an entry that is not there", async () => {
    const { talk } = await begin();
    expect(await talk.rpc.sentRequest(talk.caller, 1)).toMatchObject(refused("not_found"));
    expect(await talk.rpc.sentRequest(talk.caller, 999)).toMatchObject(refused("not_found"));
    expect(await talk.rpc.replay(talk.caller, 1, "demo/demo")).toMatchObject(refused("not_found"));
  });
});

describe("sending it again", () => {
  it("[V-30] gives another answer, and nothing of it is stored, shown or run", async () => {
    const { talk, answer } = await begin();
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    const call = { name: "send_webhook", args: '{"target":"build","body":{}}' };
    talk.stage.script = () => ({ text: "Quite another answer.", calls: [call], native: NATIVE });
    const before = [await talk.snapshot(), socket.frames.length];
    const replayed = await talk.rpc.replay(talk.caller, answer, "demo/demo");
    expect(replayed).toMatchObject({ ok: true, value: { ok: true, message: { stop: "calls" }, usage: { input: 10 } } });
    expect(JSON.stringify(replayed)).toContain("Quite another answer.");
    expect(JSON.stringify(replayed)).not.toContain("the vendor's own");
    const [first, again] = talk.stage.model.requests;
    expect(again).toEqual({ ...first, model: "demo/demo" });
    await talk.idle();
    expect([await talk.snapshot(), socket.frames.length]).toEqual(before);
    expect(JSON.stringify(await talk.stored())).not.toContain("Quite another answer.");
    expect([await talk.cards(), talk.stage.receiver.total]).toEqual([[], 0]);
  });

  it("[V-30] a model that is not offered is refused with the nearest, and nothing is sent", async () => {
    const { talk, answer } = await begin();
    expect(await talk.rpc.replay(talk.caller, answer, "demo/dmeo")).toMatchObject({
      error: { code: "bad_request", message: expect.stringContaining("demo/demo?") },
    });
    expect(talk.stage.model.requests).toHaveLength(1);
  });

  it("[V-31] one at a time: the next is refused until the first has its answer, whatever that is", async () => {
    const { talk, answer } = await begin();
    const gate = new Gate();
    talk.stage.script = () => ({ text: "Slow.", between: () => gate.pass() });
    const first = talk.rpc.replay(talk.caller, answer, "demo/demo");
    await gate.reached();
    expect(await talk.rpc.replay(talk.caller, answer, "demo/demo")).toMatchObject(refused("rate_limited"));
    gate.open();
    expect(await first).toMatchObject({ ok: true, value: { ok: true } });
    talk.stage.script = () => ({ error: { message: "away" } });
    for (let n = 0; n < 2; n++) {
      expect(await talk.rpc.replay(talk.caller, answer, "demo/demo")).toEqual({
        ok: true,
        value: { ok: false, error: "away" },
      });
    }
  });

  it("[V-31] 20 in an hour, whatever restarts; the next is refused, sends nothing, and goes an hour later", async () => {
    const { talk, answer } = await begin();
    for (let n = 0; n < 20; n++) {
      if (n === 10) await evictDurableObject(talk.stage.object);
      expect(await talk.rpc.replay(talk.caller, answer, "demo/demo")).toMatchObject({ ok: true, value: { ok: true } });
    }
    await evictDurableObject(talk.stage.object);
    expect(await talk.rpc.replay(talk.caller, answer, "demo/demo")).toMatchObject(refused("rate_limited"));
    expect(talk.stage.model.requests).toHaveLength(21);
    passTime(3_600_000);
    expect(await talk.rpc.replay(talk.caller, answer, "demo/demo")).toMatchObject({ ok: true, value: { ok: true } });
  });
});

describe("summarising on demand", () => {
  it("[V-32] says when there is nothing older", async () => {
    const { talk } = await begin();
    expect(await talk.rpc.compact(talk.caller)).toMatchObject(refused("nothing_to_do"));
  });

  it("[V-32] begins a summary, and is busy while it is made", async () => {
    const talk = await Talk.begin();
    talk.stage.script = () => ({ text: "A long answer. ".repeat(1_000) });
    for (let n = 0; n < 3; n++) {
      await talk.say("Tell me a lot. ".repeat(500));
      await talk.idle();
    }
    const gate = new Gate();
    talk.stage.script = () => ({ text: "They talked a lot.", between: () => gate.pass() });
    expect(await talk.rpc.compact(talk.caller)).toEqual({ ok: true, value: { started: true } });
    expect(await talk.rpc.compact(talk.caller)).toMatchObject(refused("busy"));
    gate.open();
    await talk.idle();
    const { view } = await talk.snapshot();
    expect(view.entries.filter(({ kind }) => kind === "core.summary")).toHaveLength(1);
  });
});
