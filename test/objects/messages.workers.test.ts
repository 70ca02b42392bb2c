import { env, evictDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { MAX_FRAME_BYTES, MAX_TEXT_UNITS } from "../../src/protocol/limits.ts";
import type { FileRef } from "../../src/protocol/message.ts";
import type { ChatView } from "../../src/protocol/view.ts";
import { MAX_FILES_PER_CONVERSATION } from "../../src/surfaces/webchat/files-state.ts";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import { Gate } from "../kit/gate.ts";
import { Talk } from "../kit/talk.workers.ts";
import { passTime, restoreClock } from "../kit/wall-clock.ts";

afterEach(restoreClock);

const file = (n: number): FileRef => ({ id: `f${n}`, name: `note ${n}.txt`, mime: "text/plain", bytes: 5 });

async function withFiles(count: number): Promise<Talk> {
  const talk = await Talk.begin();
  for (let n = 0; n < count; n++) await talk.rpc.addFile(talk.caller, file(n));
  return talk;
}

const chatOf = async (talk: Talk) => (await talk.snapshot()).view.plugins["chat"] as unknown as ChatView;
const userTexts = async (talk: Talk) =>
  (await talk.transcript()).flatMap(([kind, text]) => (kind === "user" ? [text] : []));

/** Does something, and says whether anything is stored differently afterwards. */
async function changes(talk: Talk, act: () => Promise<unknown>): Promise<boolean> {
  await talk.idle();
  const before = JSON.stringify([await talk.stored(), await talk.snapshot()]);
  await act();
  await talk.idle();
  return JSON.stringify([await talk.stored(), await talk.snapshot()]) !== before;
}

describe("a message", () => {
  it("[W-14] said again under its id has the same receipt, on any connection and after a restart, and is said once", async () => {
    const talk = await Talk.begin();
    const body = { id: "m1", text: "Hello" };
    const first = await talk.rpc.submit(talk.caller, body);
    expect(first).toEqual({
      ok: true,
      value: { id: "m1", input: `${talk.caller.principalId}:m1`, status: "placed" },
    });
    await talk.idle();
    const done = { ok: true, value: { id: "m1", input: `${talk.caller.principalId}:m1`, status: "done" } };
    expect(await talk.rpc.submit(talk.caller, body)).toEqual(done);
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    expect(await socket.ask({ type: "send", ...body }, "receipt")).toMatchObject({ id: "m1", status: "done" });
    await evictDurableObject(talk.stage.object);
    expect(await talk.rpc.submit(talk.caller, body)).toEqual(done);
    expect(await userTexts(talk)).toEqual(["Hello"]);
    expect(talk.stage.model.requests).toHaveLength(1);
  });

  it("[W-14] sent many times at one instant is said once", async () => {
    const talk = await Talk.begin();
    const receipts = await Promise.all(Array.from({ length: 10 }, () => talk.say("Hello", "m1")));
    expect(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size).toBe(1);
    await talk.idle();
    expect(await userTexts(talk)).toEqual(["Hello"]);
  });

  it("[W-15] with another text under the same id is a conflict, and nothing is stored of it", async () => {
    const talk = await Talk.begin();
    await talk.say("Hello", "m1");
    const others = [
      { id: "m1", text: "Hello!" },
      { id: "m1", text: "Hello", mode: "queue" as const },
    ];
    for (const body of others) {
      const isChanged = await changes(talk, async () => {
        expect(await talk.rpc.submit(talk.caller, body)).toMatchObject({
          ok: false,
          error: { code: "conflict", ref: "m1" },
        });
      });
      expect(isChanged).toBe(false);
    }
  });

  it("[W-16] that is empty is refused, and one that is blank with a file is not", async () => {
    const talk = await withFiles(1);
    for (const text of ["", "  \n\t "]) {
      const isChanged = await changes(talk, async () => {
        expect(await talk.say(text)).toMatchObject({ ok: false, error: { code: "bad_request" } });
      });
      expect(isChanged).toBe(false);
    }
    expect(await talk.rpc.submit(talk.caller, { id: "f", text: " ", attachments: ["f0"] })).toMatchObject({ ok: true });
    await talk.idle();
    expect((await chatOf(talk)).title).toBe("Files");
  });

  it("[W-17] may carry files of this conversation; with one other it is refused whole", async () => {
    const talk = await withFiles(2);
    const other = await withFiles(1);
    await other.rpc.addFile(other.caller, { ...file(0), id: "theirs" });
    for (const attachments of [["f0", "theirs"], ["nope"], ["__proto__"], ["constructor"], ["../f0"]]) {
      const isChanged = await changes(talk, async () => {
        const answer = await talk.rpc.submit(talk.caller, { id: "m1", text: "Look", attachments });
        expect(answer).toMatchObject({ ok: false, error: { code: "unknown_attachment", ref: "m1" } });
      });
      expect(isChanged).toBe(false);
    }
    await talk.rpc.submit(talk.caller, { id: "m1", text: "Look", attachments: ["f1", "f0"] });
    await talk.idle();
    const [entry] = (await talk.snapshot()).view.entries;
    const parts = [
      { type: "text", text: "Look" },
      { type: "file", file: file(1) },
      { type: "file", file: file(0) },
    ];
    expect(entry?.message).toEqual({ role: "user", content: parts });
  });
});

describe("limits on the socket", () => {
  it("[W-16] a text of 32,000 units, an id of 128 and 8 files are taken; one more of each is refused", async () => {
    const talk = await withFiles(9);
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    const send = (part: object) =>
      socket.ask(JSON.stringify({ type: "send", id: "m", text: "Hi", ...part }), "receipt", "error");
    const files = (count: number) => Array.from({ length: count }, (_, n) => `f${n}`);
    const taken = [
      { id: "a", text: "x".repeat(MAX_TEXT_UNITS) },
      { id: "i".repeat(128) },
      { id: "c", attachments: files(8) },
    ];
    for (const part of taken) expect(await send(part)).toMatchObject({ type: "receipt" });
    await talk.idle();
    const refused = [
      { id: "d", text: "x".repeat(MAX_TEXT_UNITS + 1) },
      { id: "i".repeat(129) },
      { id: "e", attachments: files(9) },
    ];
    const isChanged = await changes(talk, async () => {
      for (const part of refused) expect(await send(part)).toMatchObject({ type: "error", code: "bad_frame" });
    });
    expect(isChanged).toBe(false);
    expect(socket.closed).toBeUndefined();
  });

  it("[W-4] a frame of 64 KiB is read, one byte more is too large, and the socket stays", async () => {
    const talk = await Talk.begin();
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    const frame = (bytes: number) => {
      const text = (padding: string) => JSON.stringify({ type: "more", before: 1, padding });
      return text("x".repeat(bytes - text("").length));
    };
    expect(await socket.ask(frame(MAX_FRAME_BYTES), "page", "error")).toMatchObject({ type: "page" });
    expect(await socket.ask(frame(MAX_FRAME_BYTES + 1), "page", "error")).toMatchObject({ code: "too_large" });
    expect(await socket.ask({ type: "more", before: 1 }, "page")).toBeDefined();
  });

  it("[W-5] 60 frames in a minute are handled, the next closes with 1008, and a new socket starts anew", async () => {
    const talk = await Talk.begin();
    const socket = await ChatSocket.open(talk.stage, talk.caller);
    for (let n = 0; n < 60; n++) socket.send({ type: "more", before: 1 });
    await socket.until(() => socket.frames.length === 60);
    socket.send({ type: "more", before: 1 });
    await socket.until(() => socket.closed !== undefined);
    expect(socket.closed?.code).toBe(1008);
    expect(socket.frames).toHaveLength(60);
    const next = await ChatSocket.follow(talk.stage, talk.caller);
    expect(next.replica.view).toBeDefined();
  });

  it("[W-7] frames take effect in the order they were sent", async () => {
    const talk = await Talk.begin();
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    for (let n = 0; n < 20; n++) socket.send({ type: "send", id: `m${n}`, text: `Message ${n}` });
    await socket.until(() => socket.frames.filter(({ type }) => type === "receipt").length === 20);
    const receipts = socket.frames.flatMap((frame) => (frame.type === "receipt" ? [frame.id] : []));
    expect(receipts).toEqual(Array.from({ length: 20 }, (_, n) => `m${n}`));
    await talk.idle();
    expect(await userTexts(talk)).toEqual(Array.from({ length: 20 }, (_, n) => `Message ${n}`));
  });
});

describe("what a conversation keeps for the page", () => {
  it("[W-24] the title is the first line with words of the first message, until it is renamed", async () => {
    const talk = await Talk.begin();
    expect((await chatOf(talk)).title).toBe("");
    await talk.say("\n  Plan   the week\nwith care");
    await talk.idle();
    expect((await chatOf(talk)).title).toBe("Plan the week");
    await talk.say("Something else");
    await talk.rpc.settings(talk.caller, { title: "Weeks" });
    await talk.say("And more");
    await talk.idle();
    expect((await chatOf(talk)).title).toBe("Weeks");
  });

  it("[W-25] a model that is not offered is refused with the nearest; a chosen one serves the next step", async () => {
    const talk = await Talk.begin();
    const isChanged = await changes(talk, async () => {
      const answer = await talk.rpc.settings(talk.caller, { model: "demo/dmeo" });
      expect(answer).toMatchObject({ error: { code: "bad_request", message: expect.stringContaining("demo/demo?") } });
    });
    expect(isChanged).toBe(false);
    expect(await talk.rpc.settings(talk.caller, { model: "demo/demo", thinking: "high" })).toMatchObject({ ok: true });
    await talk.say("Hello");
    await talk.idle();
    expect(talk.stage.model.requests[0]).toMatchObject({ model: "demo/demo", thinking: "high" });
    expect(await chatOf(talk)).toMatchObject({ model: "demo/demo", thinking: "high" });
  });

  it("[W-26] 500 files are kept, the next is refused, and nothing is stored of it", async () => {
    const talk = await Talk.begin();
    const files = Object.fromEntries(
      Array.from({ length: MAX_FILES_PER_CONVERSATION - 1 }, (_, n) => [`f${n}`, file(n)]),
    );
    const body = JSON.stringify({ files });
    await talk.plant(({ sql }) => sql.exec("INSERT INTO namespaces (name, body) VALUES ('files', ?)", body));
    expect(await talk.rpc.addFile(talk.caller, file(499))).toMatchObject({ ok: true });
    const isChanged = await changes(talk, async () => {
      const answer = await talk.rpc.addFile(talk.caller, file(500));
      expect(answer).toMatchObject({ ok: false, error: { message: expect.stringContaining("the limit is 500") } });
    });
    expect(isChanged).toBe(false);
    expect(await talk.rpc.file(talk.caller, "f499")).toEqual({ ok: true, value: file(499) });
    expect(await talk.rpc.file(talk.caller, "f500")).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  it("[V-28] a file that is taken back is gone, the others stay, and taking it back again changes nothing", async () => {
    const talk = await withFiles(2);
    expect(await talk.rpc.removeFile(talk.caller, "f0")).toEqual({ ok: true, value: {} });
    expect(await talk.rpc.file(talk.caller, "f0")).toMatchObject({ error: { code: "not_found" } });
    expect(await talk.rpc.file(talk.caller, "f1")).toEqual({ ok: true, value: file(1) });
    const isChanged = await changes(talk, () => talk.rpc.removeFile(talk.caller, "f0"));
    expect(isChanged).toBe(false);
  });

  it("[W-28] a queued message of somebody who was demoted since is not worked on, and the reason shows", async () => {
    for (const change of [
      "update principals set tier = 'guest' where id = ?",
      "update principals set disabled_at = 1 where id = ?",
      "delete from identities where principal_id = ?",
    ]) {
      const talk = await Talk.begin();
      const gate = new Gate();
      talk.stage.script = () => ({ text: "First answer.", between: () => gate.pass() });
      await talk.say("One");
      await talk.rpc.submit(talk.caller, { id: "two", text: "Two", mode: "queue" });
      await env.DB.prepare(change).bind(talk.caller.principalId).run();
      passTime(30_000);
      gate.open();
      await talk.idle();
      expect(talk.stage.model.requests).toHaveLength(1);
      expect(JSON.stringify(await talk.stored())).toContain("You may not use this conversation any more");
    }
  });
});
