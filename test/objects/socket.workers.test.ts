import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool, type ModelFrame } from "../../src/kernel/index.ts";
import { CALLER_HEADER } from "../../src/objects/rpc.ts";
import { MAX_SOCKETS_PER_PERSON } from "../../src/protocol/limits.ts";
import { NO_USAGE } from "../../src/protocol/message.ts";
import type { SocketAttachment } from "../../src/surfaces/webchat/attachment.ts";
import { ChatSocket, upgradeRequest } from "../kit/chat-socket.workers.ts";
import { randomHash } from "../kit/directory.ts";
import { Gate } from "../kit/gate.ts";
import { memberTools } from "../kit/member-tools.ts";
import { untilAborted } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";
import { passTime, restoreClock } from "../kit/wall-clock.ts";

afterEach(restoreClock);

const sql = (query: string, ...values: unknown[]) =>
  env.DB.prepare(query)
    .bind(...values)
    .run();

describe("the upgrade", () => {
  const upgrade = async (talk: Talk, caller = talk.caller) => {
    const response = await talk.stage.object.fetch(upgradeRequest(talk.stage, caller));
    // A body that nobody reads keeps the object from being evicted.
    await response.body?.cancel();
    return response.status;
  };

  it("[W-1] is for whoever may read the conversation; others learn nothing of it", async () => {
    const talk = await Talk.begin();
    const stranger = await newPerson("owner");
    const nowhere = await new Stage().object.fetch(upgradeRequest(talk.stage, stranger));
    const refused = await talk.stage.object.fetch(upgradeRequest(talk.stage, stranger));
    expect([refused.status, await refused.text()]).toEqual([nowhere.status, await nowhere.text()]);
    expect(refused.status).toBe(404);
    expect(await upgrade(talk, { ...talk.caller, sessionHash: "0".repeat(64) })).toBe(401);
    expect(await upgrade(talk, { ...talk.caller, identity: "test:other" })).toBe(401);
    expect(await upgrade(talk)).toBe(101);
  });

  it.each([
    ["update principals set tier = 'guest' where id = ?", 403],
    ["update principals set disabled_at = 1 where id = ?", 403],
    ["delete from identities where principal_id = ?", 403],
    ["update sessions set revoked_at = 1 where principal_id = ?", 401],
  ])("[W-1] %s: refused with %i", async (change, status) => {
    const talk = await Talk.begin();
    await sql(change, talk.caller.principalId);
    await evictDurableObject(talk.stage.object);
    expect(await upgrade(talk)).toBe(status);
  });

  it("[W-1] [W-19] is refused while the directory cannot be read, and says so", async () => {
    const talk = await Talk.begin();
    await evictDurableObject(talk.stage.object);
    talk.stage.database.fails = () => true;
    expect(await upgrade(talk)).toBe(503);
    talk.stage.database.fails = () => false;
    expect(await upgrade(talk)).toBe(101);
  });

  it("[W-1] without a caller that the Worker wrote there is none", async () => {
    const talk = await Talk.begin();
    const request = upgradeRequest(talk.stage, talk.caller);
    for (const header of ["", "{}", '{"principalId":"p"}', JSON.stringify({ ...talk.caller, tier: "owner" })]) {
      const forged = new Request(request, { headers: { upgrade: "websocket", [CALLER_HEADER]: header } });
      expect((await talk.stage.object.fetch(forged)).status).toBe(400);
    }
    expect((await talk.stage.object.fetch("https://conversation/socket")).status).toBe(400);
  });

  it("[W-2] 20 sockets of a person are taken, the next is refused; one that closes makes room", async () => {
    const talk = await Talk.begin();
    const sockets = await Promise.all(
      Array.from({ length: MAX_SOCKETS_PER_PERSON }, () => ChatSocket.follow(talk.stage, talk.caller)),
    );
    expect(await upgrade(talk)).toBe(429);
    await evictDurableObject(talk.stage.object);
    expect(await upgrade(talk)).toBe(429);
    sockets[0]?.close();
    await until(async () => (await upgrade(talk)) === 101, "room for one more");
    expect(await upgrade(talk)).toBe(429);
  });
});

describe("following", () => {
  it("[W-9] [W-12] [W-14] a client that folds what it gets holds what a fresh snapshot holds", async () => {
    const talk = await Talk.begin();
    talk.stage.script = ({ messages }) => ({
      text: `You said ${messages.length} things. `.repeat(20),
      thinking: "Hm.",
    });
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    for (const id of ["a", "b", "c"]) {
      const receipt = await socket.ask({ type: "send", id, text: `Hello ${id}` }, "receipt");
      expect(receipt).toMatchObject({ id, input: `${talk.caller.principalId}:${id}`, status: "placed" });
      await socket.until(() => socket.replica.view?.turn === null);
    }
    const { rev, view } = await talk.snapshot();
    expect(socket.replica.violations).toEqual([]);
    expect([socket.replica.rev, socket.replica.view]).toEqual([rev, view]);
    expect(socket.frames.some(({ type }) => type === "delta")).toBe(true);
  });

  it("[W-9] a client that is current gets `ready` and goes on from there", async () => {
    const talk = await Talk.begin();
    const first = await ChatSocket.follow(talk.stage, talk.caller);
    await talk.say("Hello");
    await first.until(() => first.replica.view?.turn === null);
    const { rev } = first.replica;
    const second = await ChatSocket.open(talk.stage, talk.caller);
    expect(await second.ask({ type: "hello", lastRev: rev }, "ready", "snapshot")).toEqual({ type: "ready", rev });
    expect(await second.ask({ type: "hello", lastRev: rev - 1 }, "ready", "snapshot")).toMatchObject({
      rev,
      type: "snapshot",
    });
    await talk.say("Again");
    const commits = () => second.frames.filter(({ type }) => type === "commit");
    await second.until(() => commits().length > 0);
    expect(commits()[0]).toMatchObject({ rev: rev + 1 });
  });

  it("[W-9] [W-10] [B-13] [I-101] [R-37] whoever says hello at any moment of a stream misses nothing and hears nothing twice", async () => {
    const talk = await Talk.begin();
    talk.stage.script = ({ messages }) =>
      messages.at(-1)?.role === "user"
        ? { text: "Thinking about it. ".repeat(10), calls: [{ name: "calculator", args: '{"expression":"1+1"}' }] }
        : { text: "It is two. ".repeat(30) };
    const sockets: ChatSocket[] = [];
    for (let n = 0; n < 12; n++) {
      const opened = await ChatSocket.open(talk.stage, talk.caller);
      sockets.push(opened);
    }
    await talk.say("What is 1+1?");
    for (const socket of sockets) {
      socket.send({ type: "hello" });
      await Promise.resolve();
    }
    await talk.idle();
    const { rev, view } = await talk.snapshot();
    for (const socket of sockets) {
      await socket.until(() => socket.replica.rev === rev);
      expect(socket.replica.violations).toEqual([]);
      expect(socket.replica.view).toEqual(view);
    }
  });

  it("[W-10] text that is streaming comes along with the answer to hello, and deltas go on at its end", async () => {
    const stage = new Stage();
    const [first, second] = [new Gate(), new Gate()];
    stage.port = {
      async *stream(): AsyncGenerator<ModelFrame> {
        yield { type: "text", text: "first half, " };
        await first.pass();
        yield { type: "text", text: "second half" };
        await second.pass();
        const content = [{ type: "text", text: "first half, second half" } as const];
        yield { type: "end", message: { role: "assistant", content, stop: "end" }, usage: NO_USAGE };
      },
    };
    const talk = await Talk.begin(stage);
    await talk.say("Hello");
    const streaming = async () => (await talk.snapshot()).live.length > 0;
    await until(streaming, "text that streams");
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    const [hello] = socket.frames;
    const live = hello?.type === "snapshot" ? hello.live : undefined;
    expect(live).toMatchObject([{ channel: "text", text: "first half, " }]);
    first.open();
    await socket.until(() => socket.frames.some(({ type }) => type === "delta"));
    const delta = socket.frames.find(({ type }) => type === "delta");
    expect(delta).toMatchObject({ offset: "first half, ".length, text: "second half" });
    second.open();
    await socket.until(() => socket.replica.view?.turn === null);
    expect(socket.replica.violations).toEqual([]);
  });

  it("[W-11] [I-109] a socket that said no hello hears nothing", async () => {
    const talk = await Talk.begin();
    const [silent, following] = [
      await ChatSocket.open(talk.stage, talk.caller),
      await ChatSocket.follow(talk.stage, talk.caller),
    ];
    await talk.say("Hello");
    await following.until(() => following.replica.view?.turn === null && following.replica.view.entries.length > 0);
    expect(silent.frames).toEqual([]);
  });

  it("[W-13] `more` gives what came before an entry, oldest first, and says whether there is more", async () => {
    const talk = await Talk.begin();
    for (let n = 0; n < 3; n++) {
      await talk.say(`Message ${n}`);
      await talk.idle();
    }
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    const entries = socket.replica.view?.entries ?? [];
    const last = entries.at(-1)?.id ?? 0;
    const page = await socket.ask({ type: "more", before: last }, "page");
    expect(page).toEqual({ type: "page", before: last, entries: entries.slice(0, -1), earlier: false });
    const first = entries[0]?.id ?? 0;
    expect(await socket.ask({ type: "more", before: first }, "page")).toMatchObject({ entries: [], earlier: false });
    const paged = await talk.rpc.entries(talk.caller, { before: last, limit: 2 });
    expect(paged).toEqual({ ok: true, value: { entries: entries.slice(-3, -1), earlier: true } });
  });
});

describe("somebody who may not be here any more", () => {
  const losses = [
    ["update principals set tier = 'guest' where id = ?", 4403],
    ["update principals set disabled_at = 1 where id = ?", 4403],
    ["delete from identities where principal_id = ?", 4403],
    ["update sessions set revoked_at = 1 where principal_id = ?", 4401],
  ] as const;

  it.each(losses)("[W-18] %s: the next frame after 30 s closes with %i and the reason", async (change, code) => {
    const talk = await Talk.begin();
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    await talk.told();
    const stored = await talk.stored();
    await sql(change, talk.caller.principalId);
    passTime(30_000);
    const error = await socket.ask({ type: "send", id: "late", text: "Am I here?" }, "error");
    expect(error.code).toBe(code === 4401 ? "unauthenticated" : "forbidden");
    await socket.until(() => socket.closed !== undefined);
    expect(socket.closed?.code).toBe(code);
    expect(await talk.stored()).toEqual(stored);
  });

  it.each(losses)("[W-18] [W-20] %s: somebody who only listens hears nothing after 30 s", async (change, code) => {
    const talk = await Talk.begin();
    const listener = { ...talk.caller, sessionHash: randomHash() };
    await sql(
      "insert into sessions select ?, principal_id, identity, created_at, last_seen_at, null, null from sessions where hash = ?",
      listener.sessionHash,
      talk.caller.sessionHash,
    );
    const socket = await ChatSocket.follow(talk.stage, listener);
    // What is done to the person is done to the listener alone where a session is concerned.
    const isSession = change.includes("sessions");
    if (isSession) await sql("update sessions set revoked_at = 1 where hash = ?", listener.sessionHash);
    const before = socket.frames.length;
    passTime(30_000);
    const gate = new Gate();
    talk.stage.script = () => ({ text: "Secret words.", between: () => gate.pass() });
    await talk.say("Tell me a secret");
    if (!isSession) await sql(change, talk.caller.principalId);
    passTime(30_000);
    gate.open();
    await socket.until(() => socket.closed !== undefined);
    expect(socket.closed?.code).toBe(code);
    const heard = JSON.stringify(socket.frames.slice(before));
    if (isSession) expect(heard).not.toContain("secret");
    expect(heard).not.toContain("words.");
  });

  it("[W-20] a session that comes to its end closes the socket with 4401 instead of telling it", async () => {
    const talk = await Talk.begin();
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    await sql(
      "update sessions set created_at = ? where hash = ?",
      Date.now() - 90 * 86_400_000 + 60_000,
      talk.caller.sessionHash,
    );
    await evictDurableObject(talk.stage.object, { webSockets: "close" });
    const ending = await ChatSocket.follow(talk.stage, talk.caller);
    passTime(59_000);
    await talk.say("Hello");
    await ending.until(() => ending.replica.view?.turn === null && ending.replica.view.entries.length > 0);
    passTime(1_000);
    await runInDurableObject(talk.stage.object, (instance) => {
      const { home } = instance as unknown as { home: { room: { broadcast(frame: object): void } } };
      home.room.broadcast({ type: "reauth" });
    });
    await ending.until(() => ending.closed !== undefined);
    expect(ending.closed).toMatchObject({ code: 4401 });
    expect(ending.frames.at(-1)?.type).not.toBe("reauth");
    expect(socket.frames.length).toBeGreaterThan(0);
  });

  it("[W-21] deleting the conversation closes every socket with 4404 and leaves nothing", async () => {
    const talk = await Talk.begin();
    talk.stage.script = () => ({ text: "Never to be heard", between: untilAborted });
    const sockets = [await ChatSocket.follow(talk.stage, talk.caller), await ChatSocket.open(talk.stage, talk.caller)];
    await talk.say("Hello");
    expect(await talk.rpc.destroy(talk.caller)).toEqual({ ok: true, value: { files: [] } });
    for (const socket of sockets) {
      await socket.until(() => socket.closed !== undefined);
      expect(socket.closed?.code).toBe(4404);
    }
    const left = await runInDurableObject(talk.stage.object, async (_, { storage }) => [
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
      await storage.getAlarm(),
    ]);
    expect(left).toEqual([[], null]);
    expect(await talk.rpc.snapshot(talk.caller)).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  it("[W-21] nobody opens the conversation while its work winds down", async () => {
    const stage = new Stage();
    const gate = new Gate();
    const stubborn = defineTool({
      name: "stubborn",
      description: "Does not listen when it is told to end.",
      input: z.strictObject({}),
      execute: async () => {
        await gate.pass();
        return { text: "done" };
      },
    });
    stage.plugins = (builtIn) => [...builtIn, memberTools("stubborn", stubborn)];
    stage.script = () => ({ calls: [{ name: "stubborn", args: "{}" }] });
    const talk = await Talk.begin(stage);
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    await talk.say("Go");
    await gate.reached();
    const destroyed = talk.rpc.destroy(talk.caller);
    await socket.until(() => socket.closed !== undefined);
    for (let n = 0; n < 5; n++) {
      expect(await talk.say("Are you still there?", `again${n}`)).toMatchObject({ error: { code: "not_found" } });
    }
    gate.open();
    expect(await destroyed).toMatchObject({ ok: true });
    expect(await talk.rpc.snapshot(talk.caller)).toMatchObject({ ok: false });
  });
});

describe("hibernation", () => {
  it("[W-22] [E-7] a socket follows after a wake as before, without a hello", async () => {
    const talk = await Talk.begin();
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    socket.send({ type: "ack", rev: socket.replica.rev });
    await talk.idle();
    await evictDurableObject(talk.stage.object);
    const receipt = await socket.ask({ type: "send", id: "after", text: "Still here?" }, "receipt");
    expect(receipt.status).toBe("placed");
    await socket.until(() => socket.replica.view?.turn === null && socket.replica.view.entries.length > 0);
    const { rev, view } = await talk.snapshot();
    expect(socket.replica.violations).toEqual([]);
    expect([socket.replica.rev, socket.replica.view]).toEqual([rev, view]);
    const attachments = await runInDurableObject(talk.stage.object, (_, state) =>
      state.getWebSockets().map((each) => each.deserializeAttachment() as SocketAttachment),
    );
    expect(attachments).toMatchObject([{ ...talk.caller, following: true }]);
    expect(JSON.stringify(attachments)).not.toContain("tier");
  });

  it("[W-18] [W-22] a wake forgives nothing: a person who lost their place meanwhile is out", async () => {
    const talk = await Talk.begin();
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    await talk.idle();
    await evictDurableObject(talk.stage.object);
    await sql("update sessions set revoked_at = 1 where principal_id = ?", talk.caller.principalId);
    socket.send({ type: "hello" });
    await socket.until(() => socket.closed !== undefined);
    expect(socket.closed?.code).toBe(4401);
  });
});

describe("failures of the server", () => {
  it("[W-8] [W-14] one inside a frame closes with 1011; what was acknowledged stands, and the next connection goes on", async () => {
    const talk = await Talk.begin();
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    await socket.ask({ type: "send", id: "kept", text: "Keep this" }, "receipt");
    await talk.idle();
    talk.stage.isStorageBroken = true;
    socket.send({ type: "send", id: "lost", text: "And this?" });
    await socket.until(() => socket.closed !== undefined);
    expect(socket.closed?.code).toBe(1011);
    expect(socket.frames).not.toContainEqual(expect.objectContaining({ type: "receipt", id: "lost" }));
    talk.stage.isStorageBroken = false;
    const again = await ChatSocket.follow(talk.stage, talk.caller);
    const texts = JSON.stringify(again.replica.view?.entries);
    expect(texts).toContain("Keep this");
    expect(texts).not.toContain("And this?");
    expect(await again.ask({ type: "send", id: "lost", text: "And this?" }, "receipt")).toMatchObject({
      status: "placed",
    });
  });
});
