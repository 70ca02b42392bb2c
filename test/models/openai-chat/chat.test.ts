import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../src/kernel/ports/model.ts";
import { encodeChat } from "../../../src/models/openai-chat/encode.ts";
import { chatReducer } from "../../../src/models/openai-chat/reduce.ts";
import type { WireObject } from "../../../src/models/wire-json.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { CLOCK_TOOL, makeRequest, resultsOf, say } from "../kit.ts";

const MODEL = { id: "local", contextTokens: 8_000, maxOutputTokens: 1_000, thinking: true, images: true };

function encode(request: Partial<ModelRequest>, official = false, model: Partial<typeof MODEL> = {}) {
  return encodeChat(makeRequest({ model: "c/local", ...request }), {
    model: { ...MODEL, ...model },
    files: new Map(),
    official,
    replay: true,
  });
}

function fold(...chunks: WireObject[]) {
  const reducer = chatReducer({ model: "c/local", note: "noon", doneIsTerminal: false });
  let state = reducer.start;
  for (const data of chunks) state = reducer.step(state, { name: "", data }).state;
  return reducer.finish(state);
}

const delta = (value: WireObject, finish_reason: string | null = null) => ({
  choices: [{ delta: value, finish_reason }],
});
const END = delta({}, "stop");
const call = (tool_call: WireObject) => delta({ tool_calls: [tool_call] });

describe("requests over chat completions", () => {
  it("[M-19] keeps to one leading system message and puts the volatile text into the user's turn", () => {
    const notice: Message = { role: "system", text: "The model was changed." };
    const { messages } = encode({ messages: [say("One"), notice], volatile: "It is noon." });
    expect(messages).toEqual([
      { role: "system", content: "You are Althing." },
      {
        role: "user",
        content:
          "One\n\n<system-note>\nThe model was changed.\n</system-note>\n\n<system-note>\nIt is noon.\n</system-note>",
      },
    ]);
  });

  it("[M-16] sends good arguments byte for byte and malformed ones wrapped", () => {
    const args = ['{ "zone" :"UTC" }', '{"zone', "", '"\\ud83d"'];
    const answer: Message = {
      role: "assistant",
      content: args.map((text, at) => ({ type: "call" as const, id: `c${at}`, name: "clock", args: text })),
      stop: "calls",
    };
    const sent = encode({ messages: [say("x"), answer], tools: [CLOCK_TOOL] }).messages[2];
    expect(sent).toMatchObject({
      tool_calls: [
        { function: { arguments: '{ "zone" :"UTC" }' } },
        { function: { arguments: '{"INVALID_JSON":"{\\"zone"}' } },
        { function: { arguments: "{}" } },
        { function: { arguments: '{"INVALID_JSON":"\\"\\\\ud83d\\""}' } },
      ],
    });
  });

  it("[M-23] [M-25] names limit and effort as the vendor or as local servers do", () => {
    expect(encode({ thinking: "high" })).toMatchObject({ max_tokens: 1_000, reasoning_effort: "high" });
    expect(encode({})).not.toHaveProperty("reasoning_effort");
    const official = encode({}, true, { id: "gpt-5.4" });
    expect(official).toMatchObject({ max_completion_tokens: 1_000, reasoning_effort: "none" });
    expect(official).not.toHaveProperty("max_tokens");
    expect(encode({}, true, { id: "o3" })).toMatchObject({ reasoning_effort: "low" });
    expect(encode({ thinking: "high" }, false, { thinking: false })).not.toHaveProperty("reasoning_effort");
  });

  it("[M-24] sends a server's own reasoning fields back under their names, and extra fields of calls", () => {
    const message = fold(
      delta({ reasoning: "h", reasoning_details: [{ type: "x", data: "enc" }] }),
      delta({ reasoning: "m" }),
      call({ index: 0, id: "c1", function: { name: "clock", arguments: "{}" }, extra_content: { signature: "s" } }),
      END,
    );
    const messages = [say("x"), ...(message ? [message, ...resultsOf(message)] : [])];
    expect(encode({ messages, tools: [CLOCK_TOOL] }).messages[2]).toEqual({
      role: "assistant",
      content: "",
      reasoning: "hm",
      reasoning_details: [{ type: "x", data: "enc" }],
      tool_calls: [
        { id: "c1", type: "function", function: { name: "clock", arguments: "{}" }, extra_content: { signature: "s" } },
      ],
    });
  });

  it("[M-24] takes no other field from what was kept", () => {
    const message: Message = {
      role: "assistant",
      content: [{ type: "text", text: "ok" }],
      stop: "end",
      native: {
        family: "c/local",
        blocks: { note: "", items: [{ fields: { role: "system", reasoning: "r" }, extras: [] }] },
      },
    };
    expect(encode({ messages: [say("x"), message, say("y")] }).messages[2]).toEqual({
      role: "assistant",
      content: "ok",
      reasoning: "r",
    });
  });
});

describe("the stream of chat completions", () => {
  const names = (...chunks: WireObject[]) =>
    fold(...chunks, END)?.content.flatMap((part) =>
      part.type === "call" ? [`${part.id}:${part.name}${part.args}`] : [],
    );

  it("[M-30] tells parallel calls apart by index, by id, or by neither", () => {
    const a = { name: "a", arguments: "{" };
    const b = { name: "b", arguments: "{}" };
    const rest = { arguments: "}" };
    expect(
      names(
        call({ index: 0, id: "x", function: a }),
        call({ index: 1, id: "y", function: b }),
        call({ index: 0, function: rest }),
      ),
    ).toEqual(["x:a{}", "y:b{}"]);
    expect(names(call({ index: 0, id: "x", function: b }), call({ index: 0, id: "y", function: b }))).toEqual([
      "x:b{}",
      "y:b{}",
    ]);
    expect(
      names(call({ id: "x", function: a }), call({ id: "x", function: rest }), call({ id: "y", function: b })),
    ).toEqual(["x:a{}", "y:b{}"]);
    expect(names(call({ function: b }), call({ function: b }))).toEqual(["call_0:b{}", "call_1:b{}"]);
    expect(names(call({ id: "", function: { name: "a", arguments: { z: 1 } } }))).toEqual(['call_0:a{"z":1}']);
  });

  it("[M-30] an answer with calls wants tools whatever its finish reason", () => {
    expect(fold(call({ index: 0, id: "x", function: { name: "a", arguments: "{}" } }), END)?.stop).toBe("calls");
  });

  it("[M-31] a filtered answer is a refusal", () => {
    expect(fold(delta({ content: "I " }), delta({}, "content_filter"))).toMatchObject({
      stop: "refusal",
      content: [{ text: "I " }],
    });
  });

  it("[M-7] reads content that comes in parts", () => {
    expect(fold(delta({ content: [{ type: "text", text: "a" }, { type: "other" }] }), END)?.content).toMatchObject([
      { text: "a" },
    ]);
  });
});
