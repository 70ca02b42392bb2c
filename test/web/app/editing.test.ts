import { describe, expect, it } from "vitest";
import { ok } from "../../../src/lib/result.ts";
import type { FileRef } from "../../../src/protocol/message.ts";
import type { View } from "../../../src/protocol/view.ts";
import { App } from "../../../web/src/app/app.ts";
import { answerEntry, makeView, userEntry } from "../state/sample-view.ts";
import { FakeWorld, settle } from "./fake-world.ts";

const C1 = "0b8f6f0e-6f0a-4d3e-9f5c-3a3f3a1d2c4b";
const FILE: FileRef = { id: "f1", name: "a.txt", mime: "text/plain", bytes: 3 };

/** The page with a conversation that was answered once. */
async function openApp(world: FakeWorld, view: View = makeView({ entries: [userEntry(3, "a"), answerEntry(5, "b")] })) {
  const ports = world.ports();
  const rest = {
    ...ports.rest,
    me: () => new Promise<never>(() => undefined),
    conversations: () => Promise.resolve(ok({ conversations: [] })),
    fork: () => Promise.resolve(ok({})),
  };
  const went: string[] = [];
  const app = new App(
    { page: "chat", conversation: C1 },
    { ...ports, rest },
    {
      leave: () => undefined,
      go: (path) => went.push(path),
      upload: () => ({ done: new Promise(() => undefined), cancel: () => undefined }),
      preview: () => undefined,
    },
  );
  app.start();
  await settle();
  world.socket.open();
  world.socket.receive({ type: "snapshot", rev: 1, view });
  return { app, went };
}

describe("editing an earlier message", () => {
  it("[L-55] puts its words and files into the field; what was being written comes back after it", async () => {
    const world = new FakeWorld();
    const { app } = await openApp(world);
    app.draft.value.write("half a thought");
    app.beginEdit(3, { text: "a", files: [FILE] }, 0);
    expect([app.draft.value.text.value, app.draft.value.files.value]).toEqual(["a", [FILE]]);
    app.draft.value.write("better");
    app.sendDraft();
    expect(world.socket.sends().at(-1)).toMatchObject({ text: "better", attachments: ["f1"], rewindTo: 0 });
    expect([app.edit.value, app.draft.value.text.value]).toEqual([undefined, "half a thought"]);
  });

  it("[L-55] left, everything is as it was, over a reload too", async () => {
    const world = new FakeWorld();
    const { app } = await openApp(world);
    app.draft.value.write("half a thought");
    app.beginEdit(3, { text: "a", files: [] }, 0);
    app.beginEdit(5, { text: "b", files: [] }, 3);
    app.draft.value.write("changed");
    const reloaded = await openApp(world);
    expect(reloaded.app.draft.value.text.value).toBe("half a thought");
    app.endEdit();
    expect([app.edit.value, app.draft.value.text.value]).toEqual([undefined, "half a thought"]);
    expect(world.sockets.flatMap((socket) => socket.sends())).toEqual([]);
  });

  it("[L-55] another conversation is not edited by it", async () => {
    const world = new FakeWorld();
    const { app } = await openApp(world);
    app.beginEdit(3, { text: "a", files: [] }, 0);
    app.openChat(undefined);
    expect([app.edit.value, app.draft.value.text.value]).toEqual([undefined, ""]);
  });

  it("[L-57] a refused edit keeps its words and its place, over a reload too", async () => {
    const world = new FakeWorld();
    const first = await openApp(world);
    first.app.send("better", [], 3);
    const id = world.socket.sends().at(-1)?.id ?? "";
    world.socket.receive({ type: "error", code: "busy", ref: id, message: "An answer is running." });
    expect(first.app.chat.value.post.outbox.value).toMatchObject([{ text: "better", status: "refused", rewindTo: 3 }]);
    first.app.chat.value.close();
    await openApp(world);
    expect(world.socket.sends()).toEqual([{ type: "send", id, text: "better", rewindTo: 3 }]);
  });

  it("[L-56] the entry before the first loaded message is asked for", async () => {
    const world = new FakeWorld();
    const entries = [userEntry(30, "a"), answerEntry(50, "b")];
    const { app } = await openApp(world, makeView({ entries, earlier: true }));
    expect(app.chat.value.before(50)).toBe(30);
    expect(app.chat.value.before(30)).toBeUndefined();
    expect(world.socket.sent.at(-1)).toEqual({ type: "more", before: 30 });
    world.socket.receive({ type: "page", before: 30, entries: [answerEntry(20, "x")], earlier: false });
    expect(app.chat.value.before(30)).toBe(20);
    expect(app.chat.value.before(20)).toBe(0);
  });

  it("[L-59] a fork is opened under the id that was asked for", async () => {
    const world = new FakeWorld();
    const { app, went } = await openApp(world);
    await app.fork(5);
    expect(app.chat.value.id).not.toBe(C1);
    expect(went.at(-1)).toBe(`/chat/${app.chat.value.id}`);
    expect(app.chat.value.isNew.value).toBe(false);
  });
});
