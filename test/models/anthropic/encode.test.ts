import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../src/kernel/ports/model.ts";
import { type AnthropicBody, encodeAnthropic } from "../../../src/models/anthropic/encode.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { CLOCK_TOOL, makeRequest, say } from "../kit.ts";

const MODEL = { id: "claude-opus-5-5", contextTokens: 200_000, maxOutputTokens: 16_000, thinking: true, images: true };
const CALL: Message = {
  role: "assistant",
  content: [{ type: "call", id: "c1", name: "clock", args: '{"zone":"UTC"}' }],
  stop: "calls",
};
const RESULT: Message = {
  role: "tool",
  callId: "c1",
  name: "clock",
  content: [{ type: "text", text: "12:00" }],
  isError: false,
};

function encode(request: Partial<ModelRequest>, model: Partial<typeof MODEL> = {}, official = true): AnthropicBody {
  return encodeAnthropic(makeRequest(request), {
    model: { ...MODEL, ...model },
    files: new Map(),
    official,
    replay: true,
  });
}

/** The roles and texts of the messages, cache marks as a star. */
function outline(body: AnthropicBody): string[] {
  return body.messages.map(({ role, content }) => {
    const blocks = typeof content === "string" ? [] : content;
    return `${role}: ${blocks
      .map((block) => `${"text" in block ? block.text : block.type}${"cache_control" in block ? "*" : ""}`)
      .join(" | ")}`;
  });
}

describe("requests to Anthropic", () => {
  it("[M-19] [M-21] puts the volatile text last, behind the cache mark, as a system message where the vendor takes one", () => {
    const messages = [say("One"), CALL, RESULT, say("Two")];
    const body = encode({ messages, volatile: "It is noon.", tools: [CLOCK_TOOL] });
    expect(outline(body)).toEqual([
      "user: One*",
      "assistant: tool_use",
      "user: tool_result | Two*",
      "system: It is noon.",
    ]);
    expect(body.system).toEqual([{ type: "text", text: "You are Althing.", cache_control: { type: "ephemeral" } }]);
    expect(body.tools?.at(-1)).toMatchObject({ name: "clock", cache_control: { type: "ephemeral" } });
  });

  it("[M-19] elsewhere as the last text of the user's turn", () => {
    const request = { messages: [say("One")], volatile: "It is noon." };
    const expected = ["user: One* | <system-note>\nIt is noon.\n</system-note>"];
    expect(outline(encode(request, {}, false))).toEqual(expected);
    expect(outline(encode(request, { id: "claude-sonnet-4-6" }))).toEqual(expected);
  });

  it("[M-16] wraps malformed arguments whole, and keeps empty ones an empty object", () => {
    const answer: Message = {
      role: "assistant",
      content: [
        { type: "call", id: "a", name: "clock", args: '{"zone": "U' },
        { type: "call", id: "b", name: "clock", args: "" },
        { type: "call", id: "c", name: "clock", args: "[1]" },
      ],
      stop: "calls",
    };
    const blocks = encode({ messages: [say("x"), answer], tools: [CLOCK_TOOL] }).messages[1]?.content;
    expect(blocks).toMatchObject([
      { input: { INVALID_JSON: '{"zone": "U' } },
      { input: {} },
      { input: { INVALID_JSON: "[1]" } },
    ]);
  });

  it("[M-18] keeps stubs of called tools, switched off, where the request offers none", () => {
    const body = encode({ messages: [say("One"), CALL, RESULT], tools: [] });
    expect(body.tools).toEqual([{ name: "clock", input_schema: { type: "object" } }]);
    expect(body.tool_choice).toEqual({ type: "none" });
    expect(encode({ tools: [] })).not.toHaveProperty("tools");
  });

  it("[M-14] fills what is missing and leaves out what says nothing", () => {
    const silent: Message = { role: "assistant", content: [{ type: "text", text: " \n" }], stop: "refusal" };
    const body = encode({ messages: [silent, CALL, say(""), silent], tools: [CLOCK_TOOL] });
    expect(outline(body)).toEqual(["user: Continue.*", "assistant: tool_use", "user: tool_result*"]);
    expect(body.messages[2]?.content).toMatchObject([{ is_error: true, tool_use_id: "c1" }]);
  });

  it("[M-15] gives calls of different messages different ids", () => {
    const again: Message = { ...CALL, content: [{ type: "call", id: "c1", name: "web.search", args: "{}" }] };
    const body = encode({ messages: [say("One"), CALL, RESULT, again, RESULT], tools: [CLOCK_TOOL] });
    const ids = JSON.stringify(body).match(/"(id|tool_use_id)":"[^"]*"/g);
    expect(ids).toEqual(['"id":"c1"', '"tool_use_id":"c1"', '"id":"call_1_0"', '"tool_use_id":"call_1_0"']);
    expect(JSON.stringify(body)).toContain('"name":"web_search"');
  });
});

describe("thinking on Claude models", () => {
  const adaptive = { type: "adaptive", display: "summarized" };
  const bound = { ...adaptive, block_binding: { prefix_mismatch_behavior: "drop_block" } };
  const table: [id: string, off: unknown, medium: unknown][] = [
    ["claude-sonnet-4-5-20250929", {}, { thinking: { type: "enabled", budget_tokens: 8_000 } }],
    ["claude-sonnet-4-6", {}, { thinking: adaptive, output_config: { effort: "medium" } }],
    ["claude-opus-4-8", {}, { thinking: adaptive, output_config: { effort: "medium" } }],
    ["claude-opus-5", { thinking: { type: "disabled" } }, { thinking: adaptive, output_config: { effort: "medium" } }],
    [
      "claude-sonnet-5",
      { thinking: { type: "disabled" } },
      { thinking: adaptive, output_config: { effort: "medium" } },
    ],
    [
      "claude-fable-5",
      { thinking: adaptive, output_config: { effort: "low" } },
      { thinking: adaptive, output_config: { effort: "medium" } },
    ],
    [
      "claude-opus-5-5",
      { thinking: bound, output_config: { effort: "low" } },
      { thinking: bound, output_config: { effort: "medium" } },
    ],
    [
      "claude-sonnet-5-5",
      { thinking: { type: "between_tools" } },
      { thinking: bound, output_config: { effort: "medium" } },
    ],
    ["claude-haiku-5-5", { thinking: { type: "disabled" } }, { thinking: bound, output_config: { effort: "medium" } }],
    [
      "claude-opus-6-1",
      { thinking: bound, output_config: { effort: "low" } },
      { thinking: bound, output_config: { effort: "medium" } },
    ],
    ["some-other-model", {}, { thinking: { type: "enabled", budget_tokens: 8_000 } }],
  ];

  it.each(table)("[M-25] [M-27] asks %s as it wants to be asked", (id, off, medium) => {
    const asked = (thinking: ModelRequest["thinking"], model = {}) => {
      const { thinking: config, output_config } = encode({ thinking }, { id, ...model });
      return { ...(config ? { thinking: config } : {}), ...(output_config ? { output_config } : {}) };
    };
    expect(asked("off")).toEqual(off);
    expect(asked("medium")).toEqual(medium);
    expect(asked("high", { thinking: false })).toEqual({});
  });

  it("[M-25] leaves half of the output to the answer, and thinks not at all where that is too little", () => {
    const id = "claude-haiku-4-5";
    expect(encode({ thinking: "high", maxOutputTokens: 4_000 }, { id }).thinking).toEqual({
      type: "enabled",
      budget_tokens: 2_000,
    });
    expect(encode({ thinking: "high", maxOutputTokens: 2_000 }, { id })).not.toHaveProperty("thinking");
  });

  it("[M-26] thinks not while it answers calls that were made without thinking", () => {
    const id = "claude-haiku-4-5";
    const messages = [say("One"), CALL, RESULT];
    expect(encode({ thinking: "high", messages, tools: [CLOCK_TOOL] }, { id })).not.toHaveProperty("thinking");
    expect(
      encode(
        { thinking: "high", messages: [...messages, { ...CALL, content: [{ type: "text", text: "x" }] }, say("Two")] },
        { id },
      ),
    ).toHaveProperty("thinking");
  });
});
