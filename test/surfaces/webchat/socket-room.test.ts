import { describe, expect, it, vi } from "vitest";
import { ok } from "../../../src/lib/result.ts";
import type { ServerFrame } from "../../../src/protocol/frames.ts";
import type { ChatPerson, ChatRefusal } from "../../../src/surfaces/webchat/chat-port.ts";
import { HEARING_MS } from "../../../src/surfaces/webchat/hearing.ts";
import { SocketRoom } from "../../../src/surfaces/webchat/socket-room.ts";
import { attachment, FakeSocket, NOW } from "./fake-socket.ts";

const commit = (rev: number): ServerFrame => ({ type: "commit", rev, ops: [], events: [] });
const ready = (rev: number): ServerFrame => ({ type: "ready", rev });
const SIGNED_OUT: ChatRefusal = { code: "unauthenticated", message: "Your session has ended. Sign in again." };
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A room with a clock and a directory of the test's own. */
function makeRoom(sockets: readonly FakeSocket[] = []) {
  const world = {
    now: NOW,
    asked: [] as ChatPerson[],
    barred: async (): Promise<ChatRefusal | undefined> => undefined,
  };
  const host = {
    now: () => world.now,
    choices: async () => ok([]),
    barred: (person: ChatPerson) => {
      world.asked.push(person);
      return world.barred();
    },
  };
  return { world, room: new SocketRoom(sockets, host) };
}

/** A room in which one socket follows and was found to be allowed just now. */
function following() {
  const { world, room } = makeRoom();
  const socket = new FakeSocket();
  room.set(socket, attachment({ following: false }));
  room.follow(socket, ready(1));
  return { world, room, socket };
}

describe("broadcasting", () => {
  it("[W-11] reaches those who said hello, serialised once for all of them", () => {
    const { room } = makeRoom();
    const [a, b, silent] = [new FakeSocket(), new FakeSocket(), new FakeSocket()];
    for (const socket of [a, b, silent]) room.set(socket, attachment({ following: false }));
    for (const socket of [a, b]) room.follow(socket, ready(1));
    const toJSON = vi.fn(() => "frame");
    room.broadcast(Object.assign(commit(2), { toJSON }));
    expect(toJSON).toHaveBeenCalledOnce();
    expect([a, b, silent].map((socket) => socket.texts.length)).toEqual([2, 2, 0]);
  });

  it("[W-11] serialises nothing when nobody is there", () => {
    const toJSON = vi.fn();
    makeRoom().room.broadcast(Object.assign(commit(2), { toJSON }));
    expect(toJSON).not.toHaveBeenCalled();
  });

  it("[W-8] is not stopped by a client that vanished, and forgets it", () => {
    const { room } = makeRoom();
    const [gone, here] = [new FakeSocket(), new FakeSocket()];
    for (const socket of [gone, here]) {
      room.set(socket, attachment());
      room.follow(socket, ready(1));
    }
    gone.isBroken = true;
    room.broadcast(commit(2));
    expect(here.frames.at(-1)).toEqual(commit(2));
    expect(room.countOf("p_anna")).toBe(1);
    expect(() => room.close(gone, 1000, "again")).not.toThrow();
  });

  it("[W-20] closes a socket whose session has ended, at that very millisecond, instead of telling it", () => {
    const { world, room, socket } = following();
    world.now = NOW + 3_600_000 - 1;
    room.follow(socket, ready(1));
    room.broadcast(commit(2));
    world.now = NOW + 3_600_000;
    room.broadcast(commit(3));
    expect(socket.frames.at(-1)).toEqual(commit(2));
    expect(socket.closed).toMatchObject({ code: 4401 });
    expect(room.countOf("p_anna")).toBe(0);
  });
});

describe("who may still hear", () => {
  it("[W-18] is not asked again within seconds of an answer, and then once for all that is sent meanwhile", async () => {
    const { world, room, socket } = following();
    world.now = NOW + HEARING_MS - 1;
    room.broadcast(commit(2));
    expect(world.asked).toEqual([]);
    world.now = NOW + HEARING_MS;
    for (const rev of [3, 4, 5]) room.broadcast(commit(rev));
    expect(socket.frames).toEqual([ready(1), commit(2)]);
    await settle();
    expect(world.asked).toEqual([
      { principalId: "p_anna", identity: "test:anna", sessionHash: attachment().sessionHash },
    ]);
    expect(socket.frames).toEqual([ready(1), ...[2, 3, 4, 5].map(commit)]);
  });

  it("[W-18] [W-20] somebody who may not gets nothing of what was held back, the reason, and a close", async () => {
    const { world, room, socket } = following();
    world.now = NOW + HEARING_MS;
    world.barred = async () => SIGNED_OUT;
    room.broadcast(commit(2));
    room.broadcast(commit(3));
    await settle();
    expect(socket.frames).toEqual([ready(1), { type: "error", ...SIGNED_OUT }]);
    expect(socket.closed).toMatchObject({ code: 4401 });
  });

  const codes: readonly (readonly [ChatRefusal["code"], number])[] = [
    ["unauthenticated", 4401],
    ["forbidden", 4403],
    ["not_found", 4404],
    ["unavailable", 1011],
  ];
  it.each(codes)("[W-18] [W-21] %s closes with %i", async (code, closeCode) => {
    const { world, room, socket } = following();
    world.now = NOW + HEARING_MS;
    world.barred = async () => ({ code, message: "No." });
    room.broadcast(commit(2));
    await settle();
    expect(socket.closed?.code).toBe(closeCode);
  });

  it("[W-18] many sockets of one session ask once, those of another for themselves", async () => {
    const { world, room } = makeRoom();
    const sessions = ["a", "a", "a", "b"].map((name) => name.repeat(64));
    for (const sessionHash of sessions) room.set(new FakeSocket(), attachment({ sessionHash }));
    room.broadcast(commit(2));
    await settle();
    expect(world.asked.map(({ sessionHash }) => sessionHash[0])).toEqual(["a", "b"]);
  });

  it("[W-18] an answer counts from when it was asked for", async () => {
    const { world, room, socket } = following();
    world.now = NOW + HEARING_MS;
    const answer = Promise.withResolvers<undefined>();
    world.barred = () => answer.promise;
    room.broadcast(commit(2));
    world.now += HEARING_MS;
    answer.resolve(undefined);
    await settle();
    room.broadcast(commit(3));
    await settle();
    expect(world.asked).toHaveLength(2);
    expect(socket.frames.slice(1)).toEqual([commit(2), commit(3)]);
  });

  it("[W-9] a hello while something is held back gets where the conversation stands, and the rest goes on from there", async () => {
    const { world, room, socket } = following();
    world.now = NOW + HEARING_MS;
    const answer = Promise.withResolvers<undefined>();
    world.barred = () => answer.promise;
    room.broadcast(commit(2));
    room.follow(socket, ready(2));
    room.broadcast(commit(3));
    answer.resolve(undefined);
    await settle();
    expect(socket.frames).toEqual([ready(1), ready(2), commit(3)]);
  });

  it("[W-18] what is held back is bounded: a directory that never answers costs the connection", () => {
    const { world, room, socket } = following();
    world.now = NOW + HEARING_MS;
    world.barred = () => new Promise(() => undefined);
    const large: ServerFrame = { type: "error", code: "internal", message: "x".repeat(1024 * 1024) };
    for (let i = 0; i < 4; i++) room.broadcast(large);
    expect(socket.closed?.code).toBe(1011);
    expect(socket.frames).toEqual([ready(1)]);
  });
});

describe("after a wake", () => {
  it("[W-22] a socket follows as before, and nobody hears before the directory was asked", async () => {
    const socket = new FakeSocket(attachment({ lastAck: 7 }));
    const silent = new FakeSocket(attachment({ following: false }));
    const { world, room } = makeRoom([socket, silent]);
    expect(room.attachmentOf(socket)).toEqual(attachment({ lastAck: 7 }));
    expect(room.countOf("p_anna")).toBe(2);
    room.broadcast(commit(8));
    expect(socket.frames).toEqual([]);
    await settle();
    expect(world.asked).toHaveLength(1);
    expect([socket, silent].map(({ frames }) => frames)).toEqual([[commit(8)], []]);
  });

  it("[W-22] only what matters is stored: a count of frames is not", () => {
    const { room } = makeRoom();
    const socket = new FakeSocket();
    room.set(socket, attachment());
    room.count(socket, { startedAt: NOW, count: 30 });
    expect(room.attachmentOf(socket)?.frames.count).toBe(30);
    expect(socket.deserializeAttachment()).toEqual(attachment());
    room.update(socket, { lastAck: 9 });
    expect(socket.deserializeAttachment()).toMatchObject({ lastAck: 9 });
  });
});

describe("a socket that has left", () => {
  it("[W-2] [W-22] stays away, whatever of its frames is still being handled", () => {
    const { room } = makeRoom();
    const socket = new FakeSocket(attachment());
    room.set(socket, attachment());
    room.drop(socket);
    room.follow(socket, ready(1));
    room.update(socket, { lastAck: 3 });
    room.count(socket, { startedAt: NOW, count: 1 });
    expect(room.countOf("p_anna")).toBe(0);
    expect(socket.frames).toEqual([]);
  });

  it("[W-18] gets nothing of what was held back for it", async () => {
    const { world, room, socket } = following();
    world.now = NOW + HEARING_MS;
    room.broadcast(commit(2));
    room.drop(socket);
    await settle();
    expect(socket.frames).toEqual([ready(1)]);
  });
});

it("[W-21] closing everybody takes all of them, with one reason", () => {
  const { room } = makeRoom();
  const sockets = [new FakeSocket(), new FakeSocket()];
  for (const socket of sockets) room.set(socket, attachment());
  room.closeAll(4404, "The conversation was deleted.");
  const closed = { code: 4404, reason: "The conversation was deleted." };
  expect(sockets.map((socket) => socket.closed)).toEqual([closed, closed]);
  expect(room.countOf("p_anna")).toBe(0);
});
