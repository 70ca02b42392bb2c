import * as fc from "fast-check";
import type { ModelRequest, ToolSpec } from "../../src/kernel/ports/model.ts";
import type { AssistantMessage, FileRef, Message, ToolMessage, UserPart } from "../../src/protocol/message.ts";

/** Texts as people, tools and models write them, with all that breaks wires. */
export const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
  fc.constantFrom("", " \n\t", "\ud83d", "a\udc00b", "</system-note>", '"quoted\\"', "```\n````"),
  fc.string({ unit: "binary", maxLength: 8 }),
);

const anyId = fc.oneof(
  fc.constantFrom("call_0", "call_1_0", "toolu_01", "a b|c", "ü", "x".repeat(70), ""),
  fc.stringMatching(/^[a-z0-9_-]{1,12}$/),
);
const anyName = fc.oneof(
  fc.constantFrom("clock", "note", "web.search", "", "n".repeat(90)),
  fc.stringMatching(/^[a-z_]{1,9}$/),
);
const anyArgs = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc
    .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
    .map((value) => JSON.stringify(value)),
  fc.constantFrom("", " ", '{"a":', "[1]", "null", '{"a":1}x', '{"INVALID_JSON":1}'),
);

/** The files of {@link anyRequest}, by id. */
export const FILES: { readonly [id: string]: { readonly ref: FileRef; readonly bytes: Uint8Array | undefined } } = {
  png: file("png", "picture.png", "image/png", pngOf(3, 2)),
  fake: file("fake", "fake.png", "image/png", new TextEncoder().encode("no image")),
  gone: file("gone", "gone.jpg", "image/jpeg", undefined),
  text: file("text", 'notes"\n\u202e.txt', "text/plain", new TextEncoder().encode("line\n```\nfence")),
  zip: file("zip", "a.zip", "application/zip", new Uint8Array([1, 2])),
};

function file(id: string, name: string, mime: string, bytes: Uint8Array | undefined) {
  return { ref: { id, name, mime, bytes: bytes?.length ?? 9 }, bytes };
}

/** The head of a PNG of that size. */
export function pngOf(width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return bytes;
}

export const loadTestFile = ({ id }: FileRef): Promise<Uint8Array> => {
  const bytes = FILES[id]?.bytes;
  return bytes === undefined ? Promise.reject(new Error(`no file ${id}`)) : Promise.resolve(bytes);
};

const anyPart: fc.Arbitrary<UserPart> = fc.oneof(
  { weight: 3, arbitrary: anyText.map((text): UserPart => ({ type: "text", text })) },
  fc.constantFrom(...Object.values(FILES)).map(({ ref }): UserPart => ({ type: "file", file: ref })),
);
const anyContent = fc.array(anyPart, { maxLength: 3 });
const anyUser: fc.Arbitrary<Message> = anyContent.map((content) => ({ role: "user", content }));
const anySystem: fc.Arbitrary<Message> = anyText.map((text) => ({ role: "system", text }));

const anyAnswer: fc.Arbitrary<AssistantMessage> = fc
  .record({
    thinking: fc.option(anyText),
    text: fc.option(anyText),
    calls: fc.uniqueArray(fc.record({ id: anyId, name: anyName, args: anyArgs }), {
      maxLength: 3,
      selector: ({ id }) => id,
    }),
  })
  .map(({ thinking, text, calls }) => ({
    role: "assistant",
    content: [
      ...(thinking === null ? [] : [{ type: "thinking" as const, text: thinking }]),
      ...(text === null ? [] : [{ type: "text" as const, text }]),
      ...calls.map((call) => ({ type: "call" as const, ...call })),
    ],
    stop: calls.length > 0 ? "calls" : "end",
  }));

/** An answer with the results of its calls, in call order. */
const anyStep: fc.Arbitrary<Message[]> = fc
  .record({ answer: anyAnswer, results: fc.array(fc.tuple(anyContent, fc.boolean()), { minLength: 3, maxLength: 3 }) })
  .map(({ answer, results }) => {
    const calls = answer.content.filter((part) => part.type === "call");
    return [
      answer,
      ...calls.map(({ id, name }, index): ToolMessage => {
        const [content = [], isError = false] = results[index] ?? [];
        return { role: "tool", callId: id, name, content, isError };
      }),
    ];
  });

export const anyTools: fc.Arbitrary<ToolSpec[]> = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/),
    description: anyText,
    parameters: fc.constantFrom(
      { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
      { type: "object" },
      { anyOf: [{ type: "object" }], properties: {} },
      null,
    ),
  }),
  { maxLength: 3, selector: ({ name }) => name },
);

/** Histories that the port's contract calls valid. */
const anyHistory: fc.Arbitrary<Message[]> = fc
  .array(fc.oneof(anyUser.map(alone), anySystem.map(alone), anyStep), { maxLength: 7 })
  .map((pieces) => pieces.flat());

function alone(message: Message): Message[] {
  return [message];
}

export const anyThinking = fc.constantFrom("off", "low", "medium", "high" as const);

/** A valid request to a model. */
export function anyRequest(model: string): fc.Arbitrary<ModelRequest> {
  return fc.record({
    model: fc.constant(model),
    thinking: anyThinking,
    system: anyText,
    volatile: anyText,
    messages: anyHistory,
    tools: anyTools,
  });
}

/** The same history with results lost, doubled, reordered or made up, as a crash or an old version may leave it. */
export function damaged(history: Message[]): fc.Arbitrary<Message[]> {
  const stray: Message = {
    role: "tool",
    callId: "nobody",
    name: "clock",
    content: [{ type: "text", text: "?" }],
    isError: false,
  };
  return fc
    .record({
      keep: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 30, maxLength: 30 }),
      swap: fc.nat(),
      stray: fc.boolean(),
    })
    .map(({ keep, swap, stray: withStray }) => {
      const kept = history.flatMap((message, at): Message[] => {
        const times = message.role !== "tool" || keep[at % 30] === 3 ? 1 : (keep[at % 30] ?? 1);
        return Array.from({ length: times }, () => message);
      });
      const results = kept.flatMap(({ role }, at) => (role === "tool" ? [at] : []));
      const at = results[swap % Math.max(1, results.length)];
      const moved = at === undefined ? kept : [...kept.slice(0, at), ...kept.slice(at + 1), ...kept.slice(at, at + 1)];
      return withStray ? [stray, ...moved] : moved;
    });
}
