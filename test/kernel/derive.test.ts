import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { deriveBaseline, deriveMessages } from "../../src/kernel/context/derive.ts";
import type { Entry, ModelRequest } from "../../src/kernel/index.ts";
import { encodeAnthropic } from "../../src/models/anthropic/encode.ts";
import { BINDING_BETA } from "../../src/models/anthropic/thinking.ts";
import { encodeChat } from "../../src/models/openai-chat/encode.ts";
import { encodeResponses } from "../../src/models/openai-responses/encode.ts";
import type { ModelConfig } from "../../src/protocol/config.ts";
import type { AssistantPart, Message, UserPart } from "../../src/protocol/message.ts";
import { checkMessages } from "../kit/check-messages.ts";
import { checkAnthropicRequest, checkChatRequest, checkResponsesRequest } from "../kit/model-server/index.ts";

// Long histories on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const text = (words: string): UserPart => ({ type: "text", text: words });
const call = (id: string, name = "look", args = "{}"): AssistantPart => ({ type: "call", id, name, args });

/** Entries with ids 1, 2, 3 … in this order. */
function history(...drafts: readonly Partial<Entry>[]): Entry[] {
  return drafts.map((draft, i) => ({ id: i + 1, kind: "core.x", rev: 1, at: 0, ...draft }));
}

const user = (words: string): Partial<Entry> => ({ message: { role: "user", content: [text(words)] } });
const answer = (...content: AssistantPart[]): Partial<Entry> => ({
  message: { role: "assistant", content, stop: "end" },
});
const said = (words: string): AssistantPart => ({ type: "text", text: words });
const result = (entry: number, index: number, words = "seen"): Partial<Entry> => ({
  message: { role: "tool", callId: "whatever", name: "old name", content: [text(words)], isError: false },
  data: { entry, index, outcome: "ok" },
});

/** `role text` of each message, tools with the id that they answer. */
function show(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    if (message.role === "system") return "system";
    const words = message.content.map((part) => {
      if (part.type === "call") return `${part.name}(${part.id})`;
      return part.type === "file" ? part.file.name : part.text;
    });
    const id = message.role === "tool" ? ` ${message.callId}${message.isError ? "!" : ""}` : "";
    return `${message.role}${id} ${words.join("|")}`;
  });
}

const MISSING = "No result was recorded for this call. Its outcome is unknown.";

describe("a history in order", () => {
  it("[T-21] [I-36] results follow their calls in call order, however they were stored", () => {
    const entries = history(
      user("go"),
      answer(said("I look."), call("a"), call("b")),
      result(2, 1, "B"),
      user("faster"),
      result(2, 0, "A"),
      answer(said("Done.")),
    );
    expect(show(deriveMessages(entries))).toEqual([
      "user go",
      "assistant I look.|look(a)|look(b)",
      "tool a A",
      "tool b B",
      "user faster",
      "assistant Done.",
    ]);
  });

  it("[T-21] [I-38] [I-39] what is shown only, system prompts and entries without a message are left out", () => {
    const display = { display: { reason: "stopped" } };
    const entries = history(
      { message: { role: "system", text: "Be kind." } },
      user("go"),
      { ...answer(said("half an ans"), call("a")), data: display },
      result(3, 0),
      { kind: "plugin.note", data: 1 },
      { message: { role: "system", text: "Be brisk." } },
      user("again"),
    );
    expect(show(deriveMessages(entries))).toEqual(["user go", "user again"]);
    expect(deriveBaseline(entries).system).toBe("Be brisk.");
    expect(deriveBaseline(entries.slice(0, 5)).system).toBe("Be kind.");
    expect(deriveBaseline([]).system).toBe("");
  });
});

describe("a damaged history", () => {
  it("[T-21] [I-37] a call without a result gets one that says so; the stored history is not changed", () => {
    const entries = history(user("go"), answer(call("a"), call("b")), result(2, 1, "B"));
    const before = structuredClone(entries);
    expect(show(deriveMessages(entries))).toEqual([
      "user go",
      "assistant look(a)|look(b)",
      `tool a! ${MISSING}`,
      "tool b B",
    ]);
    expect(entries).toEqual(before);
  });

  it.each<readonly [string, Partial<Entry>[], string[]]>([
    ["a result of no entry", [user("go"), result(9, 0), answer(said("ok"))], ["user go", "assistant ok"]],
    [
      "a result of a call that is not there",
      [user("go"), answer(said("ok"), call("a")), result(2, 5), result(2, 0)],
      ["user go", "assistant ok|look(a)", "tool a seen"],
    ],
    [
      "a result stored twice",
      [user("go"), answer(call("a")), result(2, 0, "first"), result(2, 0, "second")],
      ["user go", "assistant look(a)", "tool a first"],
    ],
    [
      "a result before its call",
      [result(3, 0, "early"), user("go"), answer(call("a"))],
      ["user go", "assistant look(a)", "tool a early"],
    ],
    [
      "a result that names nothing",
      [user("go"), { ...result(1, 0), data: null }, answer(call("a"))],
      ["user go", "assistant look(a)", `tool a! ${MISSING}`],
    ],
    [
      "one call id in two answers",
      [user("go"), answer(call("a")), result(2, 0, "1"), answer(call("a")), result(4, 0, "2")],
      ["user go", "assistant look(a)", "tool a 1", "assistant look(a_2)", "tool a_2 2"],
    ],
    [
      "one call id twice in an answer",
      [user("go"), answer(call("a"), call("a"), call("a_2"))],
      [
        "user go",
        "assistant look(a)|look(a_2)|look(a_2_2)",
        `tool a! ${MISSING}`,
        `tool a_2! ${MISSING}`,
        `tool a_2_2! ${MISSING}`,
      ],
    ],
    ["an empty call id", [user("go"), answer(call(""))], ["user go", "assistant look(call)", `tool call! ${MISSING}`]],
    [
      "an answer without words",
      [user("go"), answer(), answer(said("")), answer({ type: "thinking", text: "Hm." })],
      ["user go"],
    ],
    [
      "an empty part beside words",
      [user("go"), answer({ type: "thinking", text: "" }, said(""), said("ok"))],
      ["user go", "assistant ok"],
    ],
    ["a user who says nothing", [user("go"), user(""), answer(said("ok"))], ["user go", "assistant ok"]],
    [
      "an answer at the beginning",
      [answer(call("a")), result(1, 0)],
      ["user (Earlier messages are not part of this conversation any more.)", "assistant look(a)", "tool a seen"],
    ],
    ["nothing", [], []],
  ])("[T-21] %s", (_name, drafts, messages) => {
    const derived = deriveMessages(history(...drafts));
    expect(show(derived)).toEqual(messages);
    expect(checkMessages(derived)).toEqual([]);
  });

  it("[T-21] an answer whose call ids had to change goes without the vendor's own blocks, which name the old ones", () => {
    const native = { family: "claude", blocks: [{ id: "a" }] };
    const own = (...content: AssistantPart[]): Partial<Entry> => ({
      message: { role: "assistant", content, stop: "calls", native },
    });
    const derived = deriveMessages(history(user("go"), own(call("a")), own(call("a")), own(call("b"))));
    const natives = derived.flatMap((message) => (message.role === "assistant" ? [message.native] : []));
    expect(natives).toEqual([native, undefined, native]);
  });
});

const words = fc.constantFrom("", "hello", " \n", "\ud83d", "a|b");
const callPart = fc.record({
  type: fc.constant("call" as const),
  id: fc.constantFrom("", "a", "a", "a_2", "b", "toolu_1", "functions.look:0"),
  name: fc.constantFrom("look", "send", "", "not a name"),
  args: fc.constantFrom("{}", '{"n":1}', '{"n":', "", "[1]"),
});
const anyAnswer = fc
  .tuple(
    fc.array(fc.record({ type: fc.constantFrom("text", "thinking"), text: words }) as fc.Arbitrary<AssistantPart>, {
      maxLength: 2,
    }),
    fc.array(callPart, { maxLength: 3 }),
  )
  .map(([parts, calls]) => answer(...parts, ...calls));
const anyUser = fc
  .array(words.map(text), { maxLength: 2 })
  .map((content): Partial<Entry> => ({ message: { role: "user", content } }));
const shownOnly = anyAnswer.map((one): Partial<Entry> => ({ ...one, data: { display: { reason: "failed" } } }));
const anySystem = words.map((one): Partial<Entry> => ({ message: { role: "system", text: one } }));
/** Results of any entry and call, the right ones among them, in any order, any number of times. */
const anyResult = fc.tuple(fc.nat(12), fc.nat(3), words).map(([entry, index, one]) => result(entry, index, one));

const anyHistory = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: anyUser },
      { weight: 4, arbitrary: anyAnswer },
      { weight: 6, arbitrary: anyResult },
      shownOnly,
      anySystem,
      fc.constant<Partial<Entry>>({ kind: "plugin.x", data: 1 }),
    ),
    { maxLength: 14 },
  )
  .map((drafts) => history(...drafts));

/** What the result that `deriveMessages` must choose says, by entry and call. */
function firstResult(entries: readonly Entry[], entry: number, index: number): Message | undefined {
  return entries.find(({ message, data }) => {
    const named = data as { entry?: number; index?: number } | undefined;
    return message?.role === "tool" && named?.entry === entry && named.index === index;
  })?.message;
}

describe("any damaged history", () => {
  it("[T-21] gives messages that every wire takes, with nothing lost and nothing changed", () => {
    fc.assert(
      fc.property(anyHistory, (entries) => {
        const before = structuredClone(entries);
        const messages = deriveMessages(entries);
        expect(checkMessages(messages)).toEqual([]);
        expect(entries).toEqual(before);
        expect(deriveMessages(entries), "the same again").toEqual(messages);
        for (const { id, message, data } of entries) {
          if (message?.role !== "assistant" || data !== undefined) continue;
          const calls = message.content.filter((part) => part.type === "call");
          for (const [index] of calls.entries()) {
            const stored = firstResult(entries, id, index);
            if (stored?.role !== "tool") continue;
            const sent = messages.filter((one) => one.role === "tool" && one.content === stored.content);
            expect(sent, `the result of call ${index} of ${id}`).toHaveLength(1);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it("[T-21] grows at its end only when an entry is appended whose calls have their results", () => {
    fc.assert(
      fc.property(anyHistory, (entries) => {
        const last = entries.length + 1;
        const more = [...entries, ...history(...entries, answer(said("ok"), call("new")), result(last, 0)).slice(-2)];
        const before = deriveMessages(
          entries.filter(({ data }) => (data as { entry?: number } | undefined)?.entry !== last),
        );
        const known = more.filter(
          (one) => one.id >= last || (one.data as { entry?: number } | undefined)?.entry !== last,
        );
        const after = deriveMessages(known);
        const kept = before.length === 0 ? 1 : before.length;
        if (before.length > 0) expect(after.slice(0, kept)).toEqual(before);
        expect(after.length).toBe(kept + 2);
      }),
    );
  });

  const model: ModelConfig = {
    id: "claude-opus-5-5",
    contextTokens: 200_000,
    maxOutputTokens: 16_000,
    thinking: true,
    images: true,
  };
  const files = new Map();
  const encoders: readonly (readonly [string, (request: ModelRequest) => readonly string[]])[] = [
    [
      "Anthropic",
      (request) => {
        const body = encodeAnthropic(request, { model, files, official: false, replay: true });
        return checkAnthropicRequest(body, BINDING_BETA);
      },
    ],
    [
      "OpenAI's chat completions",
      (request) =>
        checkChatRequest(
          encodeChat(request, { model: { ...model, id: "gpt-5.4" }, files, official: true, replay: true }),
        ),
    ],
    [
      "OpenAI's responses",
      (request) =>
        checkResponsesRequest(
          encodeResponses(request, { model: { ...model, id: "gpt-6.2-sol" }, files, replay: true }),
        ),
    ],
  ];

  it.each(encoders)("[T-21] [M-14] gives a request that the strict checker of %s accepts", (_name, complaintsOf) => {
    fc.assert(
      fc.property(anyHistory, (entries) => {
        const request: ModelRequest = {
          model: "p/m",
          thinking: "off",
          system: deriveBaseline(entries).system,
          volatile: "",
          messages: deriveMessages(entries),
          tools: [{ name: "look", description: "Looks.", parameters: { type: "object" } }],
        };
        expect(complaintsOf(request)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
