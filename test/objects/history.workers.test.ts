import { env, evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/kernel/index.ts";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import { Gate } from "../kit/gate.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

const DONE = { ok: true, value: {} };
const refused = (code: string) => ({ ok: false, error: { code } });

/** A conversation of two messages and their answers. Entries: 1 user, 2 system, 3 answer, 4 user, 5 answer. */
async function begin(): Promise<Talk> {
  const talk = await Talk.begin();
  talk.stage.script = (_, nth) => ({ text: `Answer ${nth + 1}.` });
  for (const text of ["One", "Two"]) {
    await talk.say(text);
    await talk.idle();
  }
  return talk;
}

const idOf = async (talk: Talk, text: string) => {
  const { view } = await talk.snapshot();
  const found = view.entries.find(({ message }) => JSON.stringify(message ?? null).includes(text));
  if (!found) throw new Error(`nobody said ${text}`);
  return found.id;
};
const saidTo = ({ messages }: ModelRequest) =>
  messages.flatMap((message) =>
    message.role === "system" ? [] : message.content.map((part) => ("text" in part ? part.text : part.type)),
  );
const texts = async (talk: Talk) => (await talk.transcript()).map(([, text]) => text);

const listed = (talk: Talk) =>
  env.DB.prepare("select state from conversations where key = ?").bind(talk.stage.key).first<{ state: string }>();

/** Does something, and says whether everything is stored and shown as before. */
async function isUnchanged(talk: Talk, act: () => Promise<unknown>): Promise<boolean> {
  await talk.idle();
  const before = JSON.stringify([await talk.stored(), await talk.snapshot()]);
  await act();
  await talk.told();
  return JSON.stringify([await talk.stored(), await talk.snapshot()]) === before;
}

describe("going back", () => {
  it("[V-24] [K-61] leaves behind what came after, for the view and for models, and survives a restart", async () => {
    const talk = await begin();
    const first = await idOf(talk, "Answer 1.");
    expect(await talk.rpc.rewind(talk.caller, first)).toEqual(DONE);
    expect(await texts(talk)).toEqual(["One", "Answer 1."]);
    await evictDurableObject(talk.stage.object);
    await talk.say("Three");
    await talk.idle();
    expect(saidTo(talk.stage.model.requests[2] as ModelRequest)).toEqual(["One", "Answer 1.", "Three"]);
  });

  it("[V-26] what was left behind is read by asking for it, and for nothing else", async () => {
    const talk = await begin();
    await talk.rpc.rewind(talk.caller, 0);
    const { view } = await talk.snapshot();
    const rewind = view.entries.at(-1);
    expect(rewind).toMatchObject({ kind: "core.rewind", data: { to: 0, by: talk.caller.principalId } });
    const left = await talk.rpc.left(talk.caller, rewind?.id ?? 0);
    const said = left.ok ? left.value.entries.map(({ message }) => JSON.stringify(message)).join() : "";
    for (const text of ["One", "Answer 1.", "Two", "Answer 2."]) expect(said).toContain(text);
    expect(await talk.rpc.left(talk.caller, 1)).toMatchObject(refused("not_found"));
    expect(await talk.rpc.left(talk.caller, 999)).toMatchObject(refused("not_found"));
  });

  it("[V-24] is refused while a card waits and for an entry that does not stand, and changes nothing then", async () => {
    const stage = new Stage();
    const call = { name: "send_webhook", args: '{"target":"build","body":{}}' };
    stage.script = ({ messages }) => (messages.at(-1)?.role === "user" ? { calls: [call] } : { text: "Done." });
    const waiting = await Talk.begin(stage);
    await waiting.toCard();
    await waiting.told();
    const before = JSON.stringify(await waiting.stored());
    expect(await waiting.rpc.rewind(waiting.caller, 0)).toMatchObject(refused("busy"));
    expect(JSON.stringify(await waiting.stored())).toBe(before);

    const talk = await begin();
    await talk.rpc.rewind(talk.caller, await idOf(talk, "Answer 1."));
    const gone = (await talk.snapshot()).view.entries.at(-1)?.id ?? 0;
    const isSame = await isUnchanged(talk, async () => {
      expect(await talk.rpc.rewind(talk.caller, gone - 1)).toMatchObject(refused("not_found"));
      expect(await talk.rpc.rewind(talk.caller, 999)).toMatchObject(refused("not_found"));
    });
    expect(isSame).toBe(true);
  });

  it("[V-24] to between a call and its result is refused with the remedy", async () => {
    const stage = new Stage();
    const call = { name: "calculate", args: '{"expression":"1+1"}' };
    stage.script = ({ messages }) => (messages.at(-1)?.role === "user" ? { calls: [call] } : { text: "Two." });
    const talk = await Talk.begin(stage);
    await talk.say("go");
    await talk.idle();
    const { view } = await talk.snapshot();
    const asking = view.entries.find(({ kind }) => kind === "core.assistant")?.id ?? 0;
    expect(await talk.rpc.rewind(talk.caller, asking)).toMatchObject({
      error: { code: "bad_request", message: expect.stringContaining("go back to before the message") },
    });
  });

  it("[V-24] [W-27] the list is told: what failed and was left behind does not count as failed", async () => {
    const talk = await begin();
    talk.stage.script = () => ({ error: { kind: "auth", message: "The key is wrong.", retryable: false } });
    await talk.say("Three");
    await talk.idle();
    expect(await listed(talk)).toMatchObject({ state: "failed" });
    await talk.rpc.rewind(talk.caller, await idOf(talk, "Answer 2."));
    await talk.told();
    expect(await listed(talk)).toMatchObject({ state: "idle" });
  });
});

describe("a message that goes back first", () => {
  it("[W-30] [K-64] over the socket: both at once, and its id again changes nothing", async () => {
    const talk = await begin();
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    const frame = { type: "send", id: "again", text: "Two, better", rewindTo: await idOf(talk, "Answer 1.") } as const;
    expect(await socket.ask(frame, "receipt", "error")).toMatchObject({ type: "receipt", status: "placed" });
    await talk.idle();
    await socket.until(() => socket.replica.view?.turn === null);
    expect(await texts(talk)).toEqual(["One", "Answer 1.", "Two, better", "Answer 3."]);
    expect(socket.replica.violations).toEqual([]);
    const isSame = await isUnchanged(talk, async () => {
      expect(await socket.ask(frame, "receipt", "error")).toMatchObject({ type: "receipt", status: "done" });
    });
    expect(isSame).toBe(true);
    expect(await socket.ask({ ...frame, rewindTo: 0 }, "receipt", "error")).toMatchObject({ code: "conflict" });
    expect((await talk.snapshot()).view.entries.filter(({ kind }) => kind === "core.rewind")).toHaveLength(1);
  });

  it("[W-30] while something is live it is busy: nothing is stored of it, and the socket stays", async () => {
    const talk = await begin();
    const gate = new Gate();
    talk.stage.script = () => ({ text: "A long answer.", between: () => gate.pass() });
    await talk.say("Three");
    await gate.reached();
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    const frame = { type: "send", id: "again", text: "One, better", rewindTo: 0 } as const;
    expect(await socket.ask(frame, "receipt", "error")).toMatchObject({ code: "busy", ref: "again" });
    expect(JSON.stringify(await talk.stored())).not.toContain("One, better");
    gate.open();
    await talk.idle();
    expect(await socket.ask(frame, "receipt", "error")).toMatchObject({ type: "receipt", status: "placed" });
    await talk.idle();
    expect(await texts(talk)).toEqual(["One, better", "A long answer."]);
  });
});

describe("starting afresh", () => {
  it("[V-24] hides what was before from models, and stays in the transcript", async () => {
    const talk = await begin();
    expect(await talk.rpc.reset(talk.caller)).toEqual({ ok: true, value: { status: "placed" } });
    await talk.say("Three");
    await talk.idle();
    expect(saidTo(talk.stage.model.requests[2] as ModelRequest)).toEqual(["Three"]);
    expect(await texts(talk)).toEqual(["One", "Answer 1.", "Two", "Answer 2.", "Three", "Answer 3."]);
  });

  it("[V-24] is queued while a turn runs", async () => {
    const talk = await begin();
    const gate = new Gate();
    talk.stage.script = () => ({ text: "A long answer.", between: () => gate.pass() });
    await talk.say("Three");
    await gate.reached();
    expect(await talk.rpc.reset(talk.caller)).toEqual({ ok: true, value: { status: "queued" } });
    gate.open();
    await talk.idle();
    expect((await talk.snapshot()).view.entries.filter(({ kind }) => kind === "core.reset")).toHaveLength(1);
  });
});

describe("pins", () => {
  it("[V-25] an entry that was said is pinned and unpinned; one that was not is refused", async () => {
    const talk = await begin();
    const entry = await idOf(talk, "Two");
    expect(await talk.rpc.pin(talk.caller, { entry, on: true })).toEqual(DONE);
    expect((await talk.snapshot()).view.pins).toEqual([entry]);
    await evictDurableObject(talk.stage.object);
    expect((await talk.snapshot()).view.pins).toEqual([entry]);
    expect(await talk.rpc.pin(talk.caller, { entry, on: false })).toEqual(DONE);
    expect((await talk.snapshot()).view.pins).toEqual([]);
    expect(await talk.rpc.pin(talk.caller, { entry: 999, on: true })).toMatchObject(refused("not_found"));
  });

  it("[V-25] 20 are pinned, the next is refused with the remedy", async () => {
    const talk = await begin();
    for (let n = 3; n <= 11; n++) {
      await talk.say(`Message ${n}`);
      await until(async () => (await talk.control()).turn === null, "the answer");
    }
    const { view } = await talk.snapshot();
    const said = view.entries.filter(({ message }) => message?.role === "user" || message?.role === "assistant");
    for (const { id } of said.slice(0, 20)) {
      expect(await talk.rpc.pin(talk.caller, { entry: id, on: true })).toEqual(DONE);
    }
    expect(await talk.rpc.pin(talk.caller, { entry: said[20]?.id ?? 0, on: true })).toMatchObject({
      error: { code: "too_large", message: expect.stringContaining("20 messages are pinned") },
    });
  });
});

describe("stopping a task", () => {
  it("[V-27] ends a call that waits outside of its turn, and its card; a task that is not there is not stopped", async () => {
    const stage = new Stage();
    const call = { name: "send_webhook", args: '{"target":"build","body":{}}' };
    stage.script = ({ messages }) =>
      JSON.stringify(messages.at(-1) ?? null).includes('"go"') ? { calls: [call] } : { text: "Done." };
    const talk = await Talk.begin(stage);
    await talk.toCard();
    const inTurn = (await talk.cards())[0]?.task ?? 0;
    expect(await talk.rpc.stopTask(talk.caller, inTurn)).toMatchObject({
      error: { code: "bad_request", message: expect.stringContaining("stop the turn instead") },
    });
    await talk.say("never mind");
    await talk.idle();
    const task = (await talk.cards())[0]?.task ?? 0;
    expect(task).not.toBe(inTurn);
    expect(await talk.rpc.stopTask(talk.caller, task)).toEqual({ ok: true, value: { stopped: true } });
    await talk.idle();
    expect((await talk.control()).tasks).toEqual({});
    expect((await talk.cards()).map(({ status }) => status)).not.toContain("open");
    expect(talk.stage.receiver.total).toBe(0);
    expect(await talk.rpc.stopTask(talk.caller, task)).toEqual({ ok: true, value: { stopped: false } });
    expect(await talk.rpc.stopTask(talk.caller, 999)).toEqual({ ok: true, value: { stopped: false } });
  });
});
