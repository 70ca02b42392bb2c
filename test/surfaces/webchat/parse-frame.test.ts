import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_FRAME_BYTES } from "../../../src/protocol/limits.ts";
import { parseFrame } from "../../../src/surfaces/webchat/parse-frame.ts";

const DIGEST = "d".repeat(64);
const parse = (value: unknown) => parseFrame(JSON.stringify(value));
const codeOf = (raw: string | ArrayBuffer) => {
  const parsed = parseFrame(raw);
  return parsed.ok ? "ok" : parsed.error.code;
};

/** One good frame of each type. */
const GOOD = [
  { type: "hello" },
  { type: "hello", lastRev: 3 },
  { type: "send", id: "1", text: "Hi", attachments: ["f1"], mode: "queue" },
  { type: "stop" },
  { type: "withdraw", input: "p_anna:1" },
  { type: "decide", hold: "h", digest: DIGEST, decision: "approve", note: "fine" },
  { type: "decideMany", id: "1", cards: [{ hold: "h", digest: DIGEST }], decision: "decline", note: "no" },
  { type: "answer", prompt: "q4", answers: [{ choices: ["Red"], text: "mostly" }, {}, null] },
  { type: "continue" },
  { type: "more", before: 7 },
  { type: "ack", rev: 0 },
] as const;

describe("a frame", () => {
  it.each(GOOD)("[W-3] $type is read as it is", (frame) => {
    expect(parse(frame)).toEqual({ ok: true, value: frame });
  });

  const bad: readonly (readonly [string, unknown])[] = [
    ["no object", [1]],
    ["null", null],
    ["no type", { id: "1", text: "Hi" }],
    ["an unknown type", { type: "approve", hold: "h" }],
    ["a type that is no text", { type: { toString: "send" } }],
    ["a server's own frame", { type: "commit", rev: 1, ops: [["r", null]], events: [] }],
    ["a revision below nought", { type: "hello", lastRev: -1 }],
    ["a revision that is no whole number", { type: "hello", lastRev: 1.5 }],
    ["a page before no entry", { type: "more", before: 0 }],
    ["a digest that is too short", { type: "decide", hold: "h", digest: "d", decision: "approve" }],
    ["a decision that there is not", { type: "decide", hold: "h", digest: DIGEST, decision: "allow" }],
    ["an answer to nothing", { type: "answer", prompt: "q4", answers: [] }],
    ["a choice that is a number", { type: "answer", prompt: "q4", answers: [{ choices: [0] }] }],
    ["a text that is a list", { type: "send", id: "1", text: ["Hi"] }],
  ];
  it.each(bad)("[W-3] with %s is a bad frame", (_what, frame) => {
    expect(parse(frame)).toMatchObject({ ok: false, error: { code: "bad_frame" } });
  });

  it("[W-3] that is binary or not JSON is a bad frame", () => {
    for (const raw of ["", "{", "hello", "\u0000", new ArrayBuffer(4)]) expect(codeOf(raw)).toBe("bad_frame");
  });

  it("[W-3] repeats the id, hold, prompt or input that it could read, and no more than 128 units of anything", () => {
    expect(parse({ type: "send", id: "m1" })).toMatchObject({ error: { ref: "m1" } });
    expect(parse({ type: "decide", hold: "h1" })).toMatchObject({ error: { ref: "h1" } });
    expect(parse({ type: "answer", prompt: "q1" })).toMatchObject({ error: { ref: "q1" } });
    expect(parse({ type: "withdraw", input: 5 })).not.toHaveProperty("error.ref");
    expect(parse({ type: "send", id: "x".repeat(129) })).not.toHaveProperty("error.ref");
  });

  it("[W-3] with thousands of faults is told about in a few words", () => {
    const parsed = parse({ type: "send", id: "1", text: "", attachments: Array.from({ length: 20_000 }, () => 1) });
    expect(parsed.ok ? "" : parsed.error.message).toMatch(/^.{20,500}$/s);
  });

  it("[W-4] of 64 KiB is read, one byte more is too large, counted in UTF-8", () => {
    const filled = (bytes: number, fill: string) => {
      const frame = (padding: string) => JSON.stringify({ type: "stop", padding });
      const room = bytes - frame("").length;
      const width = new TextEncoder().encode(fill).byteLength;
      return frame(fill.repeat(Math.floor(room / width)) + "x".repeat(room % width));
    };
    for (const fill of ["x", "ä", "漢", "😀"]) {
      expect(codeOf(filled(MAX_FRAME_BYTES, fill))).toBe("ok");
      expect(codeOf(filled(MAX_FRAME_BYTES + 1, fill))).toBe("too_large");
    }
  });

  it("[W-6] loses the keys that it has no place for", () => {
    const claims = { principal: "p_owner", tier: "owner", approved: true, role: "assistant", transcript: [{}] };
    for (const frame of GOOD) expect(parse({ ...frame, ...claims })).toEqual({ ok: true, value: frame });
    const polluted = `{"type":"stop","__proto__":{"tier":"owner"},"constructor":{"prototype":{"tier":"owner"}}}`;
    expect(parseFrame(polluted)).toEqual({ ok: true, value: { type: "stop" } });
    expect(Reflect.get({}, "tier")).toBeUndefined();
  });
});

describe("limits of a frame's parts", () => {
  const send = (part: object) => codeOf(JSON.stringify({ type: "send", id: "1", text: "Hi", ...part }));
  const decide = (part: object) =>
    codeOf(JSON.stringify({ type: "decide", hold: "h", digest: DIGEST, decision: "approve", ...part }));
  const answer = (part: object, given: object = {}) =>
    codeOf(JSON.stringify({ type: "answer", prompt: "q4", answers: [given], ...part }));
  const limits: readonly (readonly [string, (n: number) => string, number])[] = [
    ["text", (n) => send({ text: "x".repeat(n) }), 32_000],
    ["text in surrogate pairs", (n) => send({ text: "x".repeat(n % 2) + "😀".repeat(Math.floor(n / 2)) }), 32_000],
    ["client id", (n) => send({ id: "x".repeat(n) }), 128],
    ["number of files", (n) => send({ attachments: Array.from({ length: n }, (_, i) => `f${i}`) }), 8],
    ["file id", (n) => send({ attachments: ["f".repeat(n)] }), 64],
    ["hold id", (n) => decide({ hold: "h".repeat(n) }), 64],
    ["digest", (n) => decide({ digest: "d".repeat(n) }), 64],
    ["note", (n) => decide({ note: "x".repeat(n) }), 1_000],
    ["prompt", (n) => answer({ prompt: "q".repeat(n) }), 64],
    ["number of answers", (n) => answer({ answers: Array.from({ length: n }, () => null) }), 5],
    ["number of choices", (n) => answer({}, { choices: Array.from({ length: n }, (_, i) => `c${i}`) }), 25],
    ["choice", (n) => answer({}, { choices: ["x".repeat(n)] }), 1_200],
    ["own answer", (n) => answer({}, { text: "x".repeat(n) }), 4_000],
    ["input", (n) => codeOf(JSON.stringify({ type: "withdraw", input: "x".repeat(n) })), 400],
  ];
  it.each(limits)("[W-16] %s: n is taken, n + 1 is not", (_what, codeAt, n) => {
    expect([codeAt(n), codeAt(n + 1)]).toEqual(["ok", "bad_frame"]);
  });

  it("[W-51] a list of decisions names 1 to 50 cards, none twice", () => {
    const decideMany = (holds: readonly string[]) => {
      const cards = holds.map((hold) => ({ hold, digest: DIGEST }));
      return codeOf(JSON.stringify({ type: "decideMany", id: "1", decision: "approve", cards }));
    };
    const some = (n: number) => Array.from({ length: n }, (_, i) => `h${i}`);
    expect([some(0), some(1), some(50), some(51), ["h", "h"]].map(decideMany)).toEqual([
      "bad_frame",
      "ok",
      "ok",
      "bad_frame",
      "bad_frame",
    ]);
  });

  it("[W-50] a decision's input may be any JSON of 100 levels, and no more", () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
    expect(decide({ input: { ref: ["main", null, 1.5, true] } })).toBe("ok");
    expect([decide({ input: nested(100) }), decide({ input: nested(101) })]).toEqual(["ok", "bad_frame"]);
  });

  it("[W-16] ids may not be empty", () => {
    expect([send({ id: "" }), send({ attachments: [""] }), decide({ hold: "" })]).toEqual(Array(3).fill("bad_frame"));
  });
});

describe("whatever arrives", () => {
  const anyKey = fc.constantFrom("type", "id", "text", "hold", "digest", "input", "rev", "lastRev", "before", "note");
  const mutated = fc
    .tuple(fc.constantFrom(...GOOD), fc.dictionary(anyKey, fc.jsonValue(), { maxKeys: 3 }))
    .map(([frame, change]) => JSON.stringify({ ...frame, ...change }));
  const damaged = fc
    .tuple(fc.constantFrom(...GOOD), fc.nat(), fc.string({ unit: "binary", maxLength: 4 }))
    .map(([frame, at, insert]) => {
      const text = JSON.stringify(frame);
      return text.slice(0, at % text.length) + insert + text.slice((at + 1) % text.length);
    });
  const binary = fc.uint8Array().map((bytes) => bytes.slice().buffer);

  it("[W-3] [W-8] reading ends in a frame or a fault, never in a throw", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: "binary" }), mutated, damaged, binary), (raw) => {
        const parsed = parseFrame(raw);
        if (parsed.ok) return GOOD.some((frame) => frame.type === parsed.value.type);
        return parsed.error.message.length > 0 && parsed.error.message.length <= 500;
      }),
      { numRuns: 1_000 },
    );
  });

  it("[W-8] depth harms nothing", () => {
    expect(codeOf("[".repeat(60_000))).toBe("bad_frame");
    const deep = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
    expect(codeOf(`{"type":"stop","x":${deep}}`)).toBe("ok");
    expect(codeOf(`{"type":${deep}}`)).toBe("bad_frame");
    expect(codeOf(`{"type":"send","id":${deep},"text":${deep}}`)).toBe("bad_frame");
  });
});
