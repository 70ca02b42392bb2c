import { describe, expect, it } from "vitest";
import { checkAnthropicRequest, checkChatRequest, checkResponsesRequest } from "./index.ts";
import { encrypt, sign } from "./signatures.ts";

type Body = { readonly [key: string]: unknown };
type Case = readonly [what: string, change: Body, complaint: RegExp];

const text = (value: string) => ({ type: "text", text: value });
const use = (id: string, rest: Body = {}) => ({ type: "tool_use", id, name: "clock", input: {}, ...rest });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: [text("12:00")] });
const user = (...content: unknown[]) => ({ role: "user", content });
const assistant = (...content: unknown[]) => ({ role: "assistant", content });
const tools = [{ name: "clock", description: "d", input_schema: { type: "object" } }];
const GOOD = { model: "claude-opus-5-5", max_tokens: 2_000, stream: true, tools, messages: [user(text("Hi"))] };
const PNG = btoa(`\x89PNG${"\0".repeat(20)}`);
const image = (data: string, media_type = "image/png") => ({
  type: "image",
  source: { type: "base64", media_type, data },
});

const bound = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
const signed = { type: "thinking", thinking: "hm", signature: sign(GOOD, "hm") };

describe("the checker of Anthropic's requests", () => {
  const BETA = "thinking-binding-controls-2026-08-01";
  const good: [string, Body][] = [
    ["a plain one", {}],
    [
      "calls answered in order",
      { messages: [user(text("Hi")), assistant(use("a"), use("b")), user(result("a"), result("b"), text("Go"))] },
    ],
    ["an image", { messages: [user(image(PNG))] }],
    [
      "signed thinking behind the same prompt",
      { messages: [user(text("Hi")), assistant(signed, text("Yes")), user(text("And?"))] },
    ],
    [
      "moved thinking with leave to drop it",
      { thinking: bound, messages: [user(text("Changed")), assistant(signed, text("Yes")), user(text("And?"))] },
    ],
    [
      "a system message at the end of a turn",
      { messages: [user(text("Hi")), { role: "system", content: [text("noon")] }] },
    ],
  ];
  it.each(good)("[M-50] accepts %s", (_what, change) => {
    expect(checkAnthropicRequest({ ...GOOD, ...change }, BETA)).toEqual([]);
  });

  const turns = (...messages: unknown[]): Body => ({ messages: [user(text("Hi")), ...messages] });
  const bad: Case[] = [
    ["a missing result", turns(assistant(use("a")), user(text("Go"))), /no result for call a/],
    [
      "a result that comes later",
      turns(assistant(use("a")), user(text("x")), assistant(text("y")), user(result("a"))),
      /no result for call a/,
    ],
    ["an orphan result", { messages: [user(result("a"))] }, /result for a, which was not called/],
    ["a doubled result", turns(assistant(use("a")), user(result("a"), result("a"))), /more than one result/],
    ["misordered results", turns(assistant(use("a"), use("b")), user(result("b"), result("a"))), /not in the order/],
    ["results behind text", turns(assistant(use("a")), user(text("x"), result("a"))), /must come first/],
    [
      "an id used twice",
      turns(assistant(use("a")), user(result("a")), assistant(use("a")), user(result("a"))),
      /ids must be unique/,
    ],
    ["an odd id", turns(assistant(use("a b")), user(result("a b"))), /call id must match/],
    ["an odd tool name", turns(assistant(use("a", { name: "web.search" })), user(result("a"))), /name must match/],
    [
      "arguments that are no object",
      turns(assistant(use("a", { input: "{}" })), user(result("a"))),
      /must be an object/,
    ],
    [
      "calls without tools",
      { ...turns(assistant(use("a")), user(result("a"))), tools: undefined },
      /must define tools/,
    ],
    ["no message", { messages: [] }, /at least one message/],
    [
      "an assistant first",
      { messages: [assistant(text("x")), user(text("y"))] },
      /first message must use the user role/,
    ],
    ["an assistant last", turns(assistant(text("x"))), /prefill/],
    ["two users in a row", turns(user(text("x"))), /must alternate/],
    ["a role of its own", turns({ role: "tool", content: [text("x")] }), /unexpected value tool/],
    [
      "a system message before a user's",
      turns({ role: "system", content: [text("x")] }, user(text("y"))),
      /ends the turn/,
    ],
    [
      "a system message where the model takes none",
      { ...turns({ role: "system", content: [text("x")] }), model: "claude-sonnet-4-5" },
      /not supported on this model/,
    ],
    ["empty content", { messages: [user()] }, /must not be empty/],
    ["blank text", { messages: [user(text(" \n"))] }, /non-whitespace/],
    ["half a surrogate pair", { messages: [user(text("\ud83d"))] }, /low surrogate/],
    ["a block of the wrong role", { messages: [user(use("a"))] }, /not permitted in a user message/],
    ["an image that is none", { messages: [user(image(btoa("hello hello hello")))] }, /could not process image/],
    ["an image of another type", { messages: [user(image(PNG, "image/tiff"))] }, /unsupported image type/],
    ["broken base64", { messages: [user(image("%%%"))] }, /invalid base64/],
    [
      "unsigned thinking",
      turns(assistant({ type: "thinking", thinking: "hm", signature: "" }), user(text("x"))),
      /no signature/,
    ],
    ["altered thinking", turns(assistant({ ...signed, thinking: "hmm" }), user(text("x"))), /cannot be modified/],
    [
      "another model's thinking",
      { ...turns(assistant(signed, text("y")), user(text("x"))), model: "claude-fable-5-1" },
      /cannot be modified/,
    ],
    [
      "moved thinking",
      { messages: [user(text("Changed")), assistant(signed, text("Yes")), user(text("x"))] },
      /bound to a different conversation/,
    ],
    ["thinking that the model does not take", { thinking: { type: "disabled" } }, /not supported for this model/],
    [
      "a budget as large as the limit",
      { model: "claude-haiku-4-5", thinking: { type: "enabled", budget_tokens: 2_000 } },
      /less than max_tokens/,
    ],
    [
      "a budget in a loop without thinking",
      {
        ...turns(assistant(use("a")), user(result("a"))),
        model: "claude-haiku-4-5",
        thinking: { type: "enabled", budget_tokens: 1_024 },
      },
      /expected `thinking`/,
    ],
    [
      "effort where there is none",
      { model: "claude-haiku-4-5", output_config: { effort: "low" } },
      /effort: not supported/,
    ],
    [
      "a schema that is no object",
      { tools: [{ name: "clock", input_schema: { type: "string" } }] },
      /type must be "object"/,
    ],
    [
      "a schema of alternatives",
      { tools: [{ name: "clock", input_schema: { type: "object", anyOf: [] } }] },
      /anyOf is not supported/,
    ],
    ["one tool twice", { tools: [...tools, ...tools] }, /ids must be unique/],
    ["forced tools", { tool_choice: { type: "any" } }, /forced tool use/],
    [
      "five cache marks",
      { messages: [user(...[1, 2, 3, 4, 5].map(() => ({ ...text("x"), cache_control: { type: "ephemeral" } })))] },
      /maximum of 4/,
    ],
    ["a field that is not known", { temperature: 1 }, /extra inputs/],
    ["no stream", { stream: false }, /expected true/],
    ["no limit", { max_tokens: 0 }, /at least 1/],
  ];
  it.each(bad)("[M-50] refuses %s", (_what, change, complaint) => {
    expect(checkAnthropicRequest({ ...GOOD, ...change }, BETA).join("\n")).toMatch(complaint);
  });

  it("[M-50] refuses the binding control without its beta header", () => {
    expect(checkAnthropicRequest({ ...GOOD, thinking: bound }).join()).toMatch(/beta header/);
  });
});

describe("the checker of chat completions", () => {
  const call = (id: string, args = "{}") => ({ id, type: "function", function: { name: "clock", arguments: args } });
  const asked = (...tool_calls: unknown[]) => ({ role: "assistant", content: "", tool_calls });
  const said = (role: string, content: unknown = "x") => ({ role, content });
  const tool = (tool_call_id: string, content = "12:00") => ({ role: "tool", tool_call_id, content });
  const chat = (...messages: unknown[]): Body => ({ messages: [said("user"), ...messages] });
  const base = { model: "m", stream: true, max_tokens: 9, messages: [said("system"), said("user")] };

  it("[M-50] accepts good ones", () => {
    expect(checkChatRequest(base)).toEqual([]);
    expect(
      checkChatRequest({ ...base, ...chat(asked(call("a"), call("b")), tool("a"), tool("b"), said("user")) }),
    ).toEqual([]);
  });

  const bad: Case[] = [
    ["a missing result", chat(asked(call("a")), said("user")), /no result for call a/],
    ["an orphan result", chat(tool("a")), /must follow a message with 'tool_calls'/],
    ["a result of no call", chat(said("assistant"), tool("a")), /which was not called/],
    ["a doubled result", chat(asked(call("a")), tool("a"), tool("a")), /more than one result/],
    ["misordered results", chat(asked(call("a"), call("b")), tool("b"), tool("a")), /not in the order/],
    ["a second system message", chat(said("system")), /must be at the beginning/],
    ["two users in a row", chat(said("user")), /must alternate/],
    ["two assistants in a row", chat(said("assistant"), said("assistant"), said("user")), /must alternate/],
    ["an assistant last", chat(said("assistant")), /must end with/],
    ["another role", chat(said("developer")), /unexpected role/],
    ["no content", chat(said("assistant", ""), said("user")), /content or tool_calls/],
    ["null content", chat({ ...asked(call("a")), content: null }, tool("a")), /must not be null/],
    ["a blank user", { messages: [said("user", " ")] }, /non-whitespace/],
    ["malformed arguments", chat(asked(call("a", "{")), tool("a")), /valid JSON/],
    ["arguments that are no object", chat(asked(call("a", "[]")), tool("a")), /JSON object/],
    ["a long id", chat(asked(call("a".repeat(41))), tool("a".repeat(41))), /string too long/],
    ["no limit", { max_tokens: undefined }, /one limit/],
    [
      "an image that is none",
      { messages: [said("user", [{ type: "image_url", image_url: { url: "http://x/y.png" } }])] },
      /data URL/,
    ],
    ["a bad schema", { tools: [{ type: "function", function: { name: "a", parameters: null } }] }, /JSON Schema/],
  ];
  it.each(bad)("[M-50] refuses %s", (_what, change, complaint) => {
    expect(checkChatRequest({ ...base, ...change }).join("\n")).toMatch(complaint);
  });
});

describe("the checker of responses", () => {
  const said = (role: string, content: unknown = "x", rest: Body = {}) => ({ type: "message", role, content, ...rest });
  const call = (call_id: string, rest: Body = {}) => ({
    type: "function_call",
    call_id,
    name: "clock",
    arguments: "{}",
    ...rest,
  });
  const output = (call_id: string, value: unknown = "12:00") => ({
    type: "function_call_output",
    call_id,
    output: value,
  });
  const base = {
    model: "gpt-6.2-sol",
    stream: true,
    store: false,
    max_output_tokens: 16,
    input: [said("developer"), said("user")],
  };
  const then = (...items: unknown[]): Body => ({ input: [...base.input, ...items] });
  const thought = {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "h" }],
    encrypted_content: encrypt(base, "h"),
  };
  const words = said("assistant", [{ type: "output_text", text: "w" }], { id: "thought_1_msg0" });

  it("[M-50] accepts good ones", () => {
    expect(checkResponsesRequest(base)).toEqual([]);
    expect(
      checkResponsesRequest({ ...base, ...then(call("a"), call("b"), output("a"), output("b"), said("user")) }),
    ).toEqual([]);
    expect(checkResponsesRequest({ ...base, ...then(thought, words, said("user")) })).toEqual([]);
  });

  const bad: Case[] = [
    ["a missing output", then(call("a"), said("user")), /no result for call a/],
    ["an orphan output", then(output("a")), /which was not called/],
    ["a doubled output", then(call("a"), output("a"), output("a")), /more than one result/],
    ["misordered outputs", then(call("a"), call("b"), output("b"), output("a")), /not in the order/],
    ["an id used twice", then(call("a"), output("a"), call("a"), output("a")), /ids must be unique/],
    ["stored responses", { store: true }, /expected false/],
    ["instructions", { instructions: "x" }, /extra inputs/],
    ["reasoning without its content", { reasoning: { effort: "low" } }, /encrypted content/],
    ["content without reasoning", { include: ["reasoning.encrypted_content"] }, /not supported with this model/],
    [
      "an effort that the model refuses",
      { reasoning: { effort: "none" }, include: ["reasoning.encrypted_content"] },
      /unsupported value none/,
    ],
    ["altered reasoning", then({ ...thought, summary: [] }, words, said("user")), /could not be verified/],
    ["reasoning that nothing follows", then(thought, said("user")), /required following item/],
    ["what followed reasoning, without it", then(words, said("user")), /required reasoning item/],
    ["a blank message", then(said("user", " ")), /non-whitespace/],
    ["another role", then(said("tool")), /unexpected role/],
    ["another item", then({ type: "item_reference", id: "x" }), /unexpected type/],
    ["input parts in an answer", then(said("assistant", [{ type: "input_text", text: "x" }])), /invalid value/],
    ["no input", { input: [] }, /must not be empty/],
    ["too small a limit", { max_output_tokens: 15 }, /at least 16/],
  ];
  it.each(bad)("[M-50] refuses %s", (_what, change, complaint) => {
    expect(checkResponsesRequest({ ...base, ...change }).join("\n")).toMatch(complaint);
  });
});
