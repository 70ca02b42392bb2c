import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../src/kernel/ports/model.ts";
import { encodeResponses } from "../../../src/models/openai-responses/encode.ts";
import { responsesReducer } from "../../../src/models/openai-responses/reduce.ts";
import type { WireObject } from "../../../src/models/wire-json.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { CLOCK_TOOL, makeRequest, resultsOf, say } from "../kit.ts";

const MODEL = { id: "gpt-6.2-sol", contextTokens: 8_000, maxOutputTokens: 1_000, thinking: true, images: true };

function encode(request: Partial<ModelRequest>, model: Partial<typeof MODEL> = {}) {
  const options = { model: { ...MODEL, ...model }, files: new Map(), replay: true };
  return encodeResponses(makeRequest({ model: "r/m", ...request }), options);
}

function fold(...events: WireObject[]) {
  const reducer = responsesReducer("r/m", "noon");
  let state = reducer.start;
  for (const data of events) state = reducer.step(state, { name: "", data }).state;
  return reducer.finish(state);
}

const done = (output_index: number, item: WireObject) => ({ type: "response.output_item.done", output_index, item });
const COMPLETED = { type: "response.completed", response: { output: [] } };
const THOUGHT = {
  type: "reasoning",
  id: "rs",
  summary: [{ type: "summary_text", text: "h" }],
  encrypted_content: "enc",
};
const CALL = { type: "function_call", id: "fc", call_id: "c1", name: "clock", arguments: "{}", status: "completed" };
const WORDS = {
  type: "message",
  id: "m",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "w" }],
};

/** The request that follows an answer. */
function after(message: Message | undefined) {
  const messages = message?.role === "assistant" ? [say("x"), message, ...resultsOf(message), say("y")] : [];
  return JSON.stringify(encode({ messages, tools: [CLOCK_TOOL] }).input);
}

describe("requests over responses", () => {
  it("[M-22] stores nothing and never uses instructions", () => {
    const body = encode({ thinking: "medium" });
    expect(body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(body).not.toHaveProperty("instructions");
    expect(body.input).toMatchObject([{ role: "developer", content: "You are Althing." }, { role: "user" }]);
  });

  it("[M-19] puts the volatile text last, as the developer's words", () => {
    const input = encode({ messages: [say("One")], volatile: "It is noon." }).input;
    expect(Array.isArray(input) ? input.at(-1) : undefined).toEqual({
      type: "message",
      role: "developer",
      content: "It is noon.",
    });
  });

  it("[M-25] asks for as little as the model takes, and for nothing where it does not reason", () => {
    expect(encode({ thinking: "high" }).reasoning).toEqual({ effort: "high", summary: "auto" });
    expect(encode({}).reasoning).toEqual({ effort: "low" });
    expect(encode({}, { id: "gpt-6-luna" }).reasoning).toEqual({ effort: "none" });
    const plain = encode({ thinking: "high" }, { id: "gpt-4.1", thinking: false });
    expect(plain).not.toHaveProperty("reasoning");
    expect(plain).not.toHaveProperty("include");
  });

  it("[M-24] sends reasoning back with everything that followed it", () => {
    const sent = after(fold(done(0, THOUGHT), done(1, WORDS), done(2, CALL), COMPLETED));
    for (const item of [THOUGHT, WORDS, CALL]) expect(sent).toContain(JSON.stringify(item));
  });

  it("[M-29] sends no reasoning that nothing follows, and none without its content", () => {
    const limit = { type: "response.incomplete", response: { incomplete_details: { reason: "max_output_tokens" } } };
    const unfollowed = fold(done(0, WORDS), done(1, THOUGHT), limit);
    expect(unfollowed?.stop).toBe("length");
    expect(after(unfollowed)).not.toContain("reasoning");
    const { encrypted_content: _gone, ...hollow } = THOUGHT;
    const sent = after(fold(done(0, hollow), done(1, CALL), COMPLETED));
    expect(sent).not.toContain("reasoning");
    expect(sent).not.toContain('"id":"fc"');
  });

  it("[M-24] keeps the phase of messages", () => {
    expect(after(fold(done(0, { ...WORDS, phase: "commentary" }), COMPLETED))).toContain('"phase":"commentary"');
    expect(fold(done(0, WORDS), COMPLETED)).not.toHaveProperty("native");
  });
});

describe("the stream of responses", () => {
  it("[M-7] takes the items from the last event where a server names them only there", () => {
    const message = fold({ type: "response.completed", response: { output: [WORDS, CALL] } });
    expect(message?.content).toMatchObject([{ text: "w" }, { name: "clock" }]);
  });

  it("[M-2] is not ended by anything but its own last event", () => {
    expect(fold(done(0, WORDS))).toBeUndefined();
  });

  it("[M-31] [M-32] tells a filtered answer from one cut at its limit", () => {
    const ended = (reason: string) => ({ type: "response.incomplete", response: { incomplete_details: { reason } } });
    expect(fold(done(0, WORDS), ended("content_filter"))?.stop).toBe("refusal");
    expect(fold(done(0, WORDS), ended("max_output_tokens"))?.stop).toBe("length");
  });

  it("[M-1] separates the parts of a summary", () => {
    const reducer = responsesReducer("r/m", "");
    const frames = [0, 1].flatMap((summary_index) => [
      ...reducer.step(reducer.start, {
        name: "",
        data: { type: "response.reasoning_summary_part.added", summary_index },
      }).frames,
      ...reducer.step(reducer.start, { name: "", data: { type: "response.reasoning_summary_text.delta", delta: "x" } })
        .frames,
    ]);
    expect(frames.map(({ text }) => text).join("")).toBe("x\n\nx");
  });

  it("[M-6] a failed response is an error of its code", () => {
    const reducer = responsesReducer("r/m", "");
    const fail = (code: string) =>
      reducer.step(reducer.start, {
        name: "",
        data: { type: "response.failed", response: { error: { code, message: "" } } },
      }).failure;
    expect(fail("rate_limit_exceeded")?.kind).toBe("rate_limit");
    expect(fail("server_error")?.kind).toBe("server");
    expect(fail("invalid_image")).toMatchObject({ kind: "invalid_request", refused: "images" });
    expect(fail("never_heard_of")?.kind).toBe("server");
  });
});
