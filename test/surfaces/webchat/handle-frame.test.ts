import { describe, expect, it } from "vitest";
import { err, ok } from "../../../src/lib/result.ts";
import { NO_USAGE } from "../../../src/protocol/message.ts";
import type { View } from "../../../src/protocol/view.ts";
import type { ChatPerson, ChatPort, ChatRefusal } from "../../../src/surfaces/webchat/chat-port.ts";
import { handleMessage } from "../../../src/surfaces/webchat/handle-frame.ts";
import { SocketRoom } from "../../../src/surfaces/webchat/socket-room.ts";
import { attachment, FakeSocket, NOW } from "./fake-socket.ts";

const VIEW: View = {
  entries: [],
  earlier: false,
  inbox: [],
  turn: null,
  compaction: null,
  pins: [],
  config: {},
  tasks: {},
  usage: NO_USAGE,
  plugins: {},
};
const ANNA: ChatPerson = { principalId: "p_anna", identity: "test:anna", sessionHash: "a".repeat(64) };
const DIGEST = "d".repeat(64);

type Call = readonly [method: string, ...args: unknown[]];

/** A conversation that notes what reached it and answers as it is told. */
function makeDesk({ rev = 5, refusal }: { rev?: number; refusal?: ChatRefusal } = {}) {
  const room = new SocketRoom([], { now: () => NOW, barred: async () => undefined, choices: async () => ok([]) });
  const calls: Call[] = [];
  const answer = <T>(value: T, ...call: Call) => {
    calls.push(call);
    return Promise.resolve(refusal ? err(refusal) : ok(value));
  };
  const port: ChatPort = {
    submit: (person, body) => answer({ id: body.id, input: `p:${body.id}`, status: "placed" }, "submit", person, body),
    withdraw: (person, input) => answer({}, "withdraw", person, input),
    stop: (person) => answer({}, "stop", person),
    resumeQueue: (person) => answer({}, "resumeQueue", person),
    cards: {
      decide: (person, body) => answer({}, "decide", person, body),
      decideMany: (person, body) => answer({ outcomes: OUTCOMES }, "decideMany", person, body),
    },
    answer: (person, body) => answer({}, "answer", person, body),
    renew: (person, token) => answer({ ...RENEWED, expiresAt: NOW + 9 }, "renew", person, token),
    entries: (person, page) => answer({ entries: [], earlier: true }, "entries", person, page),
    async follow(person, take) {
      const followed = await answer({}, "follow", person);
      if (followed.ok) take({ rev, view: VIEW, live: [] });
      // The next commit lands before anybody else gets a turn.
      room.broadcast({ type: "commit", rev: rev + 1, ops: [], events: [] });
      return followed;
    },
  };
  const socket = new FakeSocket();
  room.set(socket, attachment({ following: false }));
  const say = (frame: unknown, now = NOW) =>
    handleMessage(room, port, socket, typeof frame === "string" ? frame : JSON.stringify(frame), now);
  return { room, calls, socket, say };
}

const RENEWED = { principalId: "p", identity: "test:other", sessionHash: "1".repeat(64) };
const OUTCOMES = [{ hold: "h", error: { code: "expired", message: "Too late." } }] as const;

describe("a frame's effect", () => {
  const table: readonly (readonly [object, Call | undefined, object | undefined])[] = [
    [
      { type: "send", id: "1", text: "Hi", mode: "queue" },
      ["submit", ANNA, { id: "1", text: "Hi", mode: "queue" }],
      { type: "receipt", id: "1", input: "p:1", status: "placed" },
    ],
    [{ type: "auth", token: "a.b.c" }, ["renew", ANNA, "a.b.c"], { type: "authorized", until: NOW + 9 }],
    [{ type: "stop" }, ["stop", ANNA], undefined],
    [{ type: "continue" }, ["resumeQueue", ANNA], undefined],
    [{ type: "withdraw", input: "p:1" }, ["withdraw", ANNA, "p:1"], undefined],
    [
      { type: "decide", hold: "h", digest: DIGEST, decision: "decline", note: "no" },
      ["decide", ANNA, { hold: "h", digest: DIGEST, decision: "decline", note: "no" }],
      undefined,
    ],
    [
      { type: "decideMany", id: "d1", cards: [{ hold: "h", digest: DIGEST }], decision: "approve" },
      ["decideMany", ANNA, { cards: [{ hold: "h", digest: DIGEST }], decision: "approve" }],
      { type: "decided", id: "d1", outcomes: OUTCOMES },
    ],
    [
      { type: "answer", prompt: "q4", answers: [{ choices: ["Red"], text: "mostly" }, null] },
      ["answer", ANNA, { prompt: "q4", answers: [{ choices: ["Red"], text: "mostly" }, null] }],
      undefined,
    ],
    [
      { type: "more", before: 9 },
      ["entries", ANNA, { before: 9, limit: 50 }],
      { type: "page", before: 9, entries: [], earlier: true },
    ],
    [{ type: "ack", rev: 3 }, undefined, undefined],
  ];
  it.each(table)("[W-6] [W-51] %j reaches the conversation as the socket's own person", async (frame, call, answer) => {
    const { calls, socket, say } = makeDesk();
    await say({ ...frame, principalId: "p_owner", tier: "owner", sessionHash: "b".repeat(64) });
    expect(calls).toEqual(call ? [call] : []);
    expect(socket.frames).toEqual(answer ? [answer] : []);
  });

  it("[W-22] an acknowledged revision is remembered", async () => {
    const { room, socket, say } = makeDesk();
    await say({ type: "ack", rev: 3 });
    expect(room.attachmentOf(socket)?.lastAck).toBe(3);
  });

  it("[W-3] what is not understood reaches nothing", async () => {
    const { calls, socket, say } = makeDesk();
    await say('{"type":"approve","id":"x1"}');
    expect(calls).toEqual([]);
    expect(socket.frames).toMatchObject([{ type: "error", code: "bad_frame", ref: "x1" }]);
    expect(socket.closed).toBeUndefined();
  });
});

describe("hello", () => {
  it("[W-9] gets a snapshot, and the very next commit follows it", async () => {
    const { socket, say } = makeDesk();
    await say({ type: "hello" });
    expect(socket.frames.map((frame) => [frame.type, "rev" in frame && frame.rev])).toEqual([
      ["snapshot", 5],
      ["commit", 6],
    ]);
  });

  it("[W-9] gets no more than `ready` when the client is current", async () => {
    const { socket, say } = makeDesk();
    await say({ type: "hello", lastRev: 5 });
    expect(socket.frames[0]).toEqual({ type: "ready", rev: 5 });
  });

  it.each([4, 6])("[W-9] gets a snapshot when the client stands at %i of 5", async (lastRev) => {
    const { socket, say } = makeDesk();
    await say({ type: "hello", lastRev });
    expect(socket.frames[0]).toMatchObject({ type: "snapshot", rev: 5, view: VIEW });
  });
});

describe("refusals", () => {
  const frames: readonly (readonly [object, string | undefined])[] = [
    [{ type: "send", id: "m1", text: "Hi" }, "m1"],
    [{ type: "withdraw", input: "p:1" }, "p:1"],
    [{ type: "decideMany", id: "d1", cards: [{ hold: "h1", digest: DIGEST }], decision: "approve" }, "d1"],
    [{ type: "decide", hold: "h1", digest: DIGEST, decision: "approve" }, "h1"],
    [{ type: "answer", prompt: "q1", answers: [null] }, "q1"],
    [{ type: "stop" }, undefined],
    [{ type: "continue" }, undefined],
    [{ type: "more", before: 9 }, undefined],
    [{ type: "hello" }, undefined],
  ];
  it.each(frames)("[W-3] one for %j names what it refuses and keeps the socket", async (frame, ref) => {
    const { socket, say } = makeDesk({ refusal: { code: "unavailable", message: "Try again." } });
    await say(frame);
    const expected = { type: "error", code: "unavailable", message: "Try again." };
    expect(socket.frames).toEqual([ref === undefined ? expected : { ...expected, ref }]);
    expect(socket.closed).toBeUndefined();
  });

  const codes = [["unauthenticated", 4401] as const, ["forbidden", 4403] as const, ["not_found", 4404] as const];
  it.each(codes)("[W-18] somebody barred as %s is told and gets %i, whatever they sent", async (code, closeCode) => {
    for (const [frame] of frames) {
      const { room, socket, say } = makeDesk({ refusal: { code, message: "No.", barred: true } });
      await say(frame);
      expect(socket.frames).toEqual([{ type: "error", code, message: "No." }]);
      expect(socket.closed?.code).toBe(closeCode);
      expect(room.attachmentOf(socket)).toBeUndefined();
    }
  });
});

describe("the rate", () => {
  it("[W-5] 60 frames in a minute are handled, good and bad ones; the next closes with 1008", async () => {
    const { calls, socket, say } = makeDesk();
    for (let i = 0; i < 60; i++) await say(i % 2 === 0 ? { type: "stop" } : "{");
    expect(calls).toHaveLength(30);
    expect(socket.closed).toBeUndefined();
    await say({ type: "stop" });
    expect(socket.closed?.code).toBe(1008);
    await say({ type: "stop" });
    expect(calls).toHaveLength(30);
  });

  it("[W-5] a minute later there are 60 more", async () => {
    const { calls, socket, say } = makeDesk();
    for (let i = 0; i < 60; i++) await say({ type: "stop" }, NOW);
    for (let i = 0; i < 60; i++) await say({ type: "stop" }, NOW + 60_000);
    expect(calls).toHaveLength(120);
    expect(socket.closed).toBeUndefined();
  });
});

describe("order", () => {
  it("[W-7] frames of one socket take effect in the order they came, also when one of them fails", async () => {
    const { room, socket } = makeDesk();
    const done: number[] = [];
    const work = [30, 0, 10].map((ms, n) =>
      room.inOrder(socket, async () => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        done.push(n);
        if (n === 1) throw new Error("no luck");
      }),
    );
    const ends = await Promise.allSettled(work);
    expect(done).toEqual([0, 1, 2]);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("[W-7] one socket does not wait for another", async () => {
    const { room, socket } = makeDesk();
    const never = Promise.withResolvers<void>();
    void room.inOrder(socket, () => never.promise);
    const other = new FakeSocket(attachment());
    await expect(room.inOrder(other, async () => undefined)).resolves.toBeUndefined();
    never.resolve();
  });
});
