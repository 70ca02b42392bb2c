import { describe, expect, it } from "vitest";
import { anthropicReducer } from "../../../src/models/anthropic/reduce.ts";
import type { WireObject } from "../../../src/models/wire-json.ts";

function fold(...events: WireObject[]) {
  const reducer = anthropicReducer("a/m", "noon");
  let state = reducer.start;
  for (const data of [...events, { type: "message_stop" }]) state = reducer.step(state, { name: "", data }).state;
  return reducer.finish(state);
}

const start = (index: number, content_block: WireObject) => ({ type: "content_block_start", index, content_block });
const delta = (index: number, value: WireObject) => ({ type: "content_block_delta", index, delta: value });

describe("the stream of Anthropic", () => {
  it("[M-24] keeps signed and redacted thinking with every field that came, and the note it was bound to", () => {
    const message = fold(
      start(0, { type: "redacted_thinking", data: "opaque==" }),
      start(1, { type: "thinking", thinking: "", signature: "", new_field: 1 }),
      delta(1, { type: "thinking_delta", thinking: "h" }),
      delta(1, { type: "signature_delta", signature: "si" }),
      delta(1, { type: "signature_delta", signature: "g" }),
      start(2, { type: "text", text: "" }),
      delta(2, { type: "text_delta", text: "t" }),
      start(3, { type: "tool_use", id: "c", name: "n", input: {}, caller: { type: "direct" } }),
      delta(3, { type: "input_json_delta", partial_json: '{"a"' }),
      delta(3, { type: "input_json_delta", partial_json: ":1}" }),
    );
    expect(message?.native).toEqual({
      family: "a/m",
      blocks: {
        note: "noon",
        items: [
          { type: "redacted_thinking", data: "opaque==" },
          { type: "thinking", thinking: "h", signature: "sig", new_field: 1 },
          { type: "text", text: "t" },
          { type: "tool_use", id: "c", name: "n", input: { a: 1 }, caller: { type: "direct" } },
        ],
      },
    });
    expect(message?.content.at(-1)).toEqual({ type: "call", id: "c", name: "n", args: '{"a":1}' });
  });

  it("[M-24] keeps nothing where nobody thought", () => {
    expect(fold(start(0, { type: "text", text: "t" }))).not.toHaveProperty("native");
  });

  it("[M-30] takes arguments that came whole in the opening block, and none at all as an empty object", () => {
    const message = fold(
      start(0, { type: "tool_use", id: "a", name: "n", input: { x: 1 } }),
      start(1, { type: "tool_use", id: "b", name: "n", input: {} }),
    );
    expect(message?.content).toMatchObject([{ args: '{"x":1}' }, { args: "{}" }]);
  });

  it("[M-7] ignores blocks and deltas that it does not know, and blocks out of order", () => {
    const message = fold(
      start(1, { type: "text", text: "second" }),
      start(0, { type: "text", text: "first " }),
      start(2, { type: "hologram", text: "no" }),
      delta(2, { type: "text_delta", text: "no" }),
      delta(9, { type: "text_delta", text: "no" }),
      delta(0, { type: "odour_delta", text: "no" }),
    );
    expect(message?.content).toMatchObject([{ text: "first " }, { text: "second" }]);
  });

  it("[M-31] tells why the vendor declined where the model said nothing", () => {
    const message = fold({
      type: "message_delta",
      delta: { stop_reason: "refusal", stop_details: { explanation: "Not this." } },
    });
    expect(message).toEqual({ role: "assistant", content: [{ type: "text", text: "Not this." }], stop: "refusal" });
  });

  it("[M-32] a full context window is an answer cut at its limit", () => {
    expect(fold({ type: "message_delta", delta: { stop_reason: "model_context_window_exceeded" } })?.stop).toBe(
      "length",
    );
  });
});
