import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { HoldCard } from "../../src/protocol/cards.ts";
import { parseFrame } from "../../src/surfaces/webchat/parse-frame.ts";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";

/** A conversation with much to lose: a card that waits, a queued message, a transcript, a title. */
let talk: Talk;
let card: HoldCard;
let queued: string;

beforeAll(async () => {
  const stage = new Stage();
  stage.script = ({ messages }) =>
    messages.length === 1
      ? { text: "Hello." }
      : { text: "On it.", calls: [{ name: "send_webhook", args: '{"target":"build","body":{"ref":"main"}}' }] };
  talk = await Talk.begin(stage);
  await talk.say("Hello");
  await talk.idle();
  card = await talk.toCard("Deploy it");
  await talk.rpc.submit(talk.caller, { id: "later", text: "And then?", mode: "queue" });
  queued = `${talk.caller.principalId}:later`;
  await talk.told();
});

const everything = async () => [await talk.stored(), await talk.snapshot()];

const DIGEST = "0".repeat(64);
/** Good frames without any effect here, and the same with the right names in them. */
const frames = () => [
  { type: "hello", lastRev: 3 },
  { type: "send", id: "", text: "Hi", attachments: ["f"] },
  { type: "withdraw", input: queued.slice(1) },
  { type: "decide", hold: "another", digest: DIGEST, decision: "approve", note: "fine" },
  { type: "decideMany", id: "many", cards: [{ hold: "other", digest: card.digest }], decision: "decline" },
  { type: "answer", prompt: card.hold, answers: [null] },
  { type: "decide", hold: "other", digest: card.digest, decision: "decline" },
  { type: "more", before: 7 },
  { type: "ack", rev: 1 },
];

/** What a well-formed frame would really do here; such a frame is no fuzz. */
function hasEffect(raw: string | ArrayBuffer): boolean {
  const parsed = parseFrame(raw);
  if (!parsed.ok) return false;
  const frame = parsed.value;
  switch (frame.type) {
    case "stop":
    case "continue":
      return true;
    case "send":
      return (frame.text.trim() !== "" || frame.attachments !== undefined) && frame.attachments?.length !== 1;
    case "withdraw":
      return frame.input === queued;
    // Naming the card leaves a line in the audit, whatever becomes of it.
    case "decide":
      return frame.hold === card.hold;
    case "decideMany":
      return frame.cards.some(({ hold }) => hold === card.hold);
    default:
      return false;
  }
}

const key = fc.constantFrom("type", "id", "text", "hold", "digest", "input", "rev", "lastRev", "before", "attachments");
const type = fc.constantFrom(
  "hello",
  "send",
  "withdraw",
  "decide",
  "decideMany",
  "answer",
  "more",
  "ack",
  "approve",
  "commit",
  "snapshot",
  "auth",
);
const mutated = fc
  .tuple(fc.nat(), fc.dictionary(key, fc.oneof(fc.jsonValue(), type), { maxKeys: 3 }))
  .map(([n, change]) => JSON.stringify({ ...frames()[n % frames().length], ...change }));
const damaged = fc.tuple(fc.nat(), fc.nat(), fc.string({ unit: "binary", maxLength: 3 })).map(([n, at, insert]) => {
  const text = JSON.stringify(frames()[n % frames().length]);
  return text.slice(0, at % text.length) + insert + text.slice((at + 1) % text.length);
});
const binary = fc.uint8Array({ maxLength: 64 }).map((bytes) => bytes.slice().buffer);
const raw = fc
  .oneof(fc.json(), fc.string({ unit: "binary" }), mutated, damaged, binary)
  .filter((candidate) => !hasEffect(candidate));

describe("whatever arrives on the socket", () => {
  it("[W-3] [W-8] [W-23] each frame gets an error or an answer, the socket stays, and nothing is changed", async () => {
    const before = await everything();
    await fc.assert(
      fc.asyncProperty(fc.array(raw, { minLength: 1, maxLength: 30 }), async (batch) => {
        const socket = await ChatSocket.open(talk.stage, talk.caller);
        for (const each of batch) socket.raw(each);
        await socket.ask({ type: "more", before: 1 }, "page");
        expect(socket.closed).toBeUndefined();
        const silent = batch.filter((each) => isAck(each)).length;
        // What is told of cards follows a greeting, and answers nothing.
        const answers = socket.frames.filter(({ type: each }) => each !== "commit" && each !== "choices");
        expect(answers).toHaveLength(batch.length - silent + 1);
        expect(
          answers.every(({ type: each }) => ["error", "page", "ready", "snapshot", "decided"].includes(each)),
        ).toBe(true);
        socket.close();
      }),
      { numRuns: 60 },
    );
    expect(await everything()).toEqual(before);
    expect(talk.stage.receiver.total).toBe(0);
  }, 20_000);
});

function isAck(candidate: string | ArrayBuffer): boolean {
  const parsed = parseFrame(candidate);
  return parsed.ok && parsed.value.type === "ack";
}
