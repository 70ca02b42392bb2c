import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/lib/json.ts";
import { CLOSE } from "../../../src/protocol/close.ts";
import type { View } from "../../../src/protocol/view.ts";
import { Chat } from "../../../web/src/app/chat.ts";
import { SILENCE_MS } from "../../../web/src/net/line.ts";
import { mayDo } from "../../../web/src/state/cards.ts";
import { makeCard, makeTurn, makeView, userEntry } from "../state/sample-view.ts";
import { FakeWorld, settle } from "./fake-world.ts";

function openChat(world: FakeWorld, isNew = false) {
  const said: string[] = [];
  const refusals: string[] = [];
  let activity = 0;
  const chat = new Chat("c1", isNew, world.ports(), {
    onAnnounce: (words) => said.push(words),
    onRefusal: (message) => refusals.push(message),
    onDone: (words) => said.push(words),
    onActivity: () => {
      activity += 1;
    },
  });
  chat.open();
  return { chat, said, refusals, activity: () => activity };
}

async function live(world: FakeWorld, view: View = makeView()): Promise<void> {
  await settle();
  world.socket.open();
  world.socket.receive({ type: "snapshot", rev: 1, view });
}

function cardView(part = {}): View {
  return makeView({ turn: makeTurn(), plugins: { holds: { cards: [makeCard(part)] as unknown as Json } } });
}

describe("an open conversation", () => {
  it("[L-9] is live only when its copy is current", async () => {
    const world = new FakeWorld();
    const { chat } = openChat(world);
    expect(chat.connection.value.status).toBe("connecting");
    await settle();
    world.socket.open();
    expect(chat.connection.value.status).toBe("connecting");
    expect(world.socket.sent).toEqual([{ type: "hello" }]);
    world.socket.receive({ type: "snapshot", rev: 4, view: makeView() });
    expect(chat.connection.value.status).toBe("live");
  });

  it("[L-10] comes back after a pause, with the revision it has, at once when the network is back", async () => {
    const world = new FakeWorld();
    const { chat } = openChat(world);
    await live(world);
    world.online = false;
    world.socket.drop(1006);
    expect(chat.connection.value).toMatchObject({ status: "waiting", why: "offline" });
    await world.pass(200);
    expect(world.sockets).toHaveLength(1);
    world.online = true;
    chat.wake();
    await settle();
    expect(world.sockets).toHaveLength(2);
    world.socket.open();
    expect(world.socket.sent).toEqual([{ type: "hello", lastRev: 1 }]);
    world.socket.receive({ type: "ready", rev: 1 });
    expect(chat.connection.value.status).toBe("live");
    world.socket.drop(1012);
    expect(chat.connection.value).toMatchObject({ why: "restarting", attempt: 1 });
    await world.pass(600);
    expect(world.sockets).toHaveLength(3);
  });

  it("[L-10] asks a plain request why a socket did not open", async () => {
    const world = new FakeWorld();
    const { chat } = openChat(world);
    await settle();
    world.probed = undefined;
    world.socket.drop(1006);
    await settle();
    expect(chat.connection.value).toMatchObject({ status: "waiting", why: "unreachable" });
    world.probed = 401;
    await world.pass(1_000);
    world.socket.drop(1006);
    await settle();
    expect(chat.connection.value).toEqual({ status: "ended", why: "signed_out" });
  });

  it("[L-11] what has ended is not tried again", async () => {
    const world = new FakeWorld();
    const { chat } = openChat(world);
    await live(world);
    world.socket.drop(CLOSE.gone);
    await world.pass(120_000);
    chat.wake();
    await settle();
    expect(world.sockets).toHaveLength(1);
    expect(chat.connection.value).toEqual({ status: "ended", why: "gone" });
  });

  it("[L-12] a silent connection is replaced: after a message, after a return to the tab, while opening", async () => {
    const world = new FakeWorld();
    const { chat } = openChat(world);
    await live(world);
    await world.pass(10 * SILENCE_MS);
    expect(world.sockets).toHaveLength(1);
    chat.send("hello?", []);
    await world.pass(SILENCE_MS - 1);
    expect(world.sockets).toHaveLength(1);
    await world.pass(1_000);
    expect(world.sockets).toHaveLength(2);
    await world.pass(SILENCE_MS + 2_000);
    expect(world.sockets).toHaveLength(3);
    world.socket.open();
    world.socket.receive({ type: "ready", rev: 1 });
    chat.wake();
    expect(world.socket.sent.at(-1)).toEqual({ type: "hello", lastRev: 1 });
    await world.pass(SILENCE_MS + 1_000);
    expect(world.sockets).toHaveLength(4);
  });

  it("[L-13] a message typed offline waits, survives a reload, and is sent once under its own id", async () => {
    const world = new FakeWorld();
    const first = openChat(world);
    await live(world);
    world.socket.drop(1006);
    first.chat.send("one", []);
    first.chat.send("two", []);
    first.chat.close();
    const { chat } = openChat(world);
    expect(chat.post.outbox.value.map((item) => [item.text, item.status])).toEqual([
      ["one", "waiting"],
      ["two", "waiting"],
    ]);
    await live(world);
    const sends = world.socket.sends();
    expect(sends.map((frame) => [frame.id, frame.text])).toEqual([
      ["id-1", "one"],
      ["id-2", "two"],
    ]);
    world.socket.receive({ type: "receipt", id: "id-1", input: "p_1:id-1", status: "placed" });
    world.socket.drop(1006);
    await world.pass(1_000);
    world.socket.open();
    world.socket.receive({ type: "ready", rev: 1 });
    expect(world.socket.sends().map((frame) => frame.id)).toEqual(["id-2"]);
    world.socket.receive({
      type: "commit",
      rev: 2,
      ops: [["p", ["entries"], 0, 0, JSON.parse(JSON.stringify(userEntry(9, "two", "p_1:id-2"))) as Json]],
      events: [],
    });
    expect(chat.post.outbox.value).toEqual([]);
    expect(world.storage.length).toBe(0);
  });

  it("[L-13] reconnecting with nothing waiting sends nothing", async () => {
    const world = new FakeWorld();
    openChat(world);
    await live(world);
    world.socket.drop(1006);
    await world.pass(1_000);
    world.socket.open();
    world.socket.receive({ type: "ready", rev: 1 });
    expect(world.socket.sent.map((frame) => frame.type)).toEqual(["hello"]);
  });

  it("[L-14] a refused message stays and can be sent again under its id", async () => {
    const world = new FakeWorld();
    const { chat, refusals } = openChat(world);
    await live(world);
    chat.send("one", []);
    world.socket.receive({ type: "error", code: "inbox_full", ref: "id-1", message: "The inbox is full." });
    expect(chat.post.outbox.value[0]).toMatchObject({ status: "refused", message: "The inbox is full." });
    expect(refusals).toEqual([]);
    chat.retry("id-1");
    expect(world.socket.sends().map((frame) => frame.id)).toEqual(["id-1", "id-1"]);
    chat.post.discard("id-1");
    expect(world.storage.length).toBe(0);
    world.socket.receive({ type: "error", code: "internal", message: "Something broke." });
    expect(refusals).toEqual(["Something broke."]);
  });

  it("[L-19] stop, withdraw and continue go out when there is a connection, and say so when there is none", async () => {
    const world = new FakeWorld();
    const { chat, refusals } = openChat(world);
    await live(world);
    chat.stop();
    chat.withdraw("p_1:x");
    chat.goOn();
    expect(world.socket.sent.slice(1)).toEqual([
      { type: "stop" },
      { type: "withdraw", input: "p_1:x" },
      { type: "continue" },
    ]);
    world.socket.drop(1006);
    chat.stop();
    expect(refusals).toHaveLength(1);
  });

  it("[L-20] a new conversation connects to nothing, and is created once, at its first message", async () => {
    const world = new FakeWorld();
    const { chat, activity } = openChat(world, true);
    await settle();
    expect([world.created, world.sockets.length]).toEqual([[], 0]);
    await chat.change({ model: "demo/brief" });
    chat.send("first", []);
    await settle();
    expect(world.created).toEqual(["c1"]);
    expect(world.settings).toEqual([{ model: "demo/brief" }]);
    await live(world);
    expect(world.socket.sends().map((frame) => frame.text)).toEqual(["first"]);
    expect(activity()).toBe(1);
    world.socket.drop(1006);
    await world.pass(1_000);
    expect(world.created).toEqual(["c1"]);
  });

  it("[L-20] a first message that had to wait creates its conversation after a reload", async () => {
    const world = new FakeWorld();
    world.createFails = { status: undefined, code: "unreachable", message: "" };
    const first = openChat(world, true);
    first.chat.send("first", []);
    await settle();
    expect(first.chat.connection.value).toMatchObject({ status: "waiting", why: "unreachable" });
    first.chat.close();
    world.createFails = undefined;
    const { chat } = openChat(world, false);
    await settle();
    expect(world.created).toEqual(["c1", "c1"]);
    await live(world);
    expect(world.socket.sends().map((frame) => frame.id)).toEqual(["id-1"]);
    expect(chat.isNew.value).toBe(false);
  });

  it("[L-35] a decision carries hold and digest, once; a refusal stands on the card", async () => {
    const world = new FakeWorld();
    const { chat } = openChat(world);
    await live(world, cardView());
    chat.decide(makeCard(), "approve", "  go ");
    expect(world.socket.sent.at(-1)).toEqual({
      type: "decide",
      hold: "h1",
      digest: "a".repeat(64),
      decision: "approve",
      note: "go",
    });
    expect(chat.presses.all.value.get("h1")).toEqual({ status: "sending" });
    world.socket.receive({ type: "error", code: "changed", ref: "h1", message: "It changed." });
    expect(chat.presses.all.value.get("h1")).toEqual({ status: "refused", message: "It changed." });
    world.socket.receive({ type: "snapshot", rev: 9, view: cardView({ status: "approved" }) });
    expect(chat.presses.all.value.size).toBe(0);
  });

  it("[L-170] what the person may do with a card is what the server said last", async () => {
    const world = new FakeWorld();
    const { chat, said } = openChat(world);
    await live(world, cardView());
    expect(mayDo(chat.choices.value, "h1", "approve")).toBe(false);
    expect(chat.transcript.waiting.value).toEqual([]);
    world.socket.receive({ type: "choices", cards: [{ hold: "h1", may: ["approve", "decline"] }] });
    expect([mayDo(chat.choices.value, "h1", "approve"), mayDo(chat.choices.value, "h1", "edit")]).toEqual([
      true,
      false,
    ]);
    expect(chat.transcript.waiting.value.map(({ id }) => id)).toEqual(["h1"]);
    expect(said).toEqual(["Approval needed: POST JSON to the webhook build"]);
    world.socket.receive({ type: "choices", cards: [{ hold: "h1", may: [], why: "Only an owner may decide this." }] });
    expect(mayDo(chat.choices.value, "h1", "approve")).toBe(false);
    expect(chat.choices.value.get("h1")?.why).toBe("Only an owner may decide this.");
  });

  it("[L-80] an edit goes with the approval; the edit is the server's to refuse", async () => {
    const world = new FakeWorld();
    const { chat } = openChat(world);
    await live(world, cardView());
    chat.decide(makeCard(), "approve", "", { input: { ref: "release" } });
    expect(world.socket.sent.at(-1)).toMatchObject({ type: "decide", hold: "h1", input: { ref: "release" } });
    world.socket.receive({ type: "error", code: "bad_request", ref: "h1", message: "The arguments do not fit." });
    expect(chat.presses.all.value.get("h1")).toEqual({ status: "refused", message: "The arguments do not fit." });
  });

  it("[L-82] a list is sent as it was seen; a card that was refused says why on itself", async () => {
    const world = new FakeWorld();
    const { chat } = openChat(world);
    const cards = [makeCard(), makeCard({ hold: "h2", digest: "b".repeat(64) })];
    await live(world, makeView({ turn: makeTurn(), plugins: { holds: { cards: cards as unknown as Json } } }));
    chat.decideMany(cards, "approve");
    const sent = world.socket.sent.at(-1) as unknown as { readonly id: string };
    expect(sent).toMatchObject({
      type: "decideMany",
      cards: [
        { hold: "h1", digest: "a".repeat(64) },
        { hold: "h2", digest: "b".repeat(64) },
      ],
      decision: "approve",
    });
    const error = { code: "expired", message: "Too late." } as const;
    world.socket.receive({ type: "decided", id: sent.id, outcomes: [{ hold: "h1" }, { hold: "h2", error }] });
    expect(chat.presses.all.value.get("h1")).toEqual({ status: "sending" });
    expect(chat.presses.all.value.get("h2")).toEqual({ status: "refused", message: "Too late." });
    world.socket.drop(1006);
    chat.decideMany(cards, "decline");
    expect(chat.presses.all.value.get("h1")?.status).toBe("refused");
  });

  it("[L-35] a decision without a connection is not kept: the person decides again", async () => {
    const world = new FakeWorld();
    const { chat } = openChat(world);
    await live(world, cardView());
    chat.decide(makeCard(), "approve", "");
    world.socket.drop(1006);
    expect(chat.presses.all.value.size).toBe(0);
    chat.decide(makeCard(), "decline", "");
    expect(chat.presses.all.value.get("h1")?.status).toBe("refused");
    await world.pass(1_000);
    world.socket.open();
    world.socket.receive({ type: "ready", rev: 1 });
    expect(world.socket.sent.map((frame) => frame.type)).toEqual(["hello"]);
  });

  it("[L-39] tells the end of a turn, and that the list may have changed", async () => {
    const world = new FakeWorld();
    const { said, activity } = openChat(world);
    await live(world, makeView({ turn: makeTurn() }));
    expect(said).toEqual([]);
    world.socket.receive({ type: "commit", rev: 2, ops: [["s", ["turn"], null]], events: [] });
    expect(said).toEqual(["Answer finished."]);
    expect(activity()).toBe(1);
    expect(world.socket.sent.at(-1)).toEqual({ type: "ack", rev: 2 });
  });

  it("[L-8] asks for one page at a time, from the front", async () => {
    const world = new FakeWorld();
    const { chat } = openChat(world);
    await live(world, makeView({ entries: [userEntry(50, "x")], earlier: true }));
    chat.more();
    chat.more();
    expect(world.socket.sent.slice(1)).toEqual([{ type: "more", before: 50 }]);
    world.socket.receive({ type: "page", before: 50, entries: [userEntry(40, "y")], earlier: false });
    chat.more();
    expect(world.socket.sent).toHaveLength(2);
    expect(chat.transcript.rows.value.map((row) => row.key)).toContain("entry-40");
  });

  it("[L-1] a gap sends hello with what it has, and nothing else", async () => {
    const world = new FakeWorld();
    const { chat } = openChat(world);
    await live(world);
    world.socket.receive({ type: "commit", rev: 5, ops: [], events: [] });
    expect(world.socket.sent.at(-1)).toEqual({ type: "hello", lastRev: 1 });
    world.socket.receive({ type: "commit", rev: 6, ops: [], events: [] });
    expect(world.socket.sent).toHaveLength(2);
    world.socket.receive({ type: "snapshot", rev: 6, view: makeView() });
    expect(chat.replica.value.rev).toBe(6);
  });
});
