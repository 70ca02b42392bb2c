import { checkAnthropicRequest, countDroppedThinking } from "./check-anthropic.ts";
import { type Obj, str } from "./reading.ts";
import { type Answer, DEFAULT_USAGE, type RefusalKind } from "./replies.ts";
import { sign } from "./signatures.ts";
import { inPieces, type VendorWire, type WireEvent } from "./wire.ts";

const REFUSALS: Readonly<Record<RefusalKind, readonly [status: number, type: string, message: string]>> = {
  overloaded: [529, "overloaded_error", "Overloaded"],
  unavailable: [503, "api_error", "Service unavailable"],
  rate_limit: [429, "rate_limit_error", "This request would exceed the rate limit of your organization."],
  no_credit: [400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."],
  bad_key: [401, "authentication_error", "invalid x-api-key sk-ant-SECRET"],
  too_long: [400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"],
  invalid: [400, "invalid_request_error", "messages: something of SECRET is wrong"],
  unknown_model: [404, "not_found_error", "model: claude-nobody"],
  server: [500, "api_error", "Internal server error"],
  bad_reasoning: [400, "invalid_request_error", "messages.1.content.0: `thinking` blocks cannot be modified."],
  bad_image: [400, "invalid_request_error", "messages.0.content.1.image.source.base64: Could not process image"],
};

export const anthropicWire: VendorWire = {
  vendor: "anthropic",
  paths: ["/v1/messages"],
  check: (body, headers) => checkAnthropicRequest(body, headers.get("anthropic-beta") ?? ""),
  dropped: countDroppedThinking,
  render,
  refuse(kind) {
    const [status, type, message] = REFUSALS[kind];
    return { status, body: { type: "error", error: { type, message }, request_id: "req_1" } };
  },
  errorEvent(kind) {
    const [, type, message] = REFUSALS[kind];
    return { name: "error", data: { type: "error", error: { type, message } } };
  },
  noise: [
    { name: "ping", data: { type: "ping" } },
    { name: "unheard_of", data: { type: "unheard_of", index: 0, delta: { text: "no" } } },
    {
      name: "content_block_delta",
      data: { type: "content_block_delta", index: 0, delta: { type: "new_delta", x: "no" } },
    },
  ],
};

function render(answer: Answer, body: Obj, turn: number): WireEvent[] {
  const usage = answer.usage ?? DEFAULT_USAGE;
  const read = usage.cachedRead ?? 0;
  const write = usage.cachedWrite ?? 0;
  const start = {
    id: `msg_${turn}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content: [],
    stop_reason: null,
    usage: {
      input_tokens: usage.prompt - read - write,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: write,
      output_tokens: 1,
    },
  };
  const blocks = renderBlocks(answer, body, turn);
  const explained =
    answer.refusal === undefined ? null : { type: "refusal", category: null, explanation: answer.refusal };
  return [
    typed("message_start", { message: start }),
    typed("ping", {}),
    ...blocks.flatMap((block, index) => renderBlock(block, index)),
    typed("message_delta", {
      delta: { stop_reason: stopOf(answer), stop_sequence: null, stop_details: explained },
      usage: { output_tokens: usage.output },
    }),
    typed("message_stop", {}),
  ];
}

function typed(type: string, rest: Obj): WireEvent {
  return { name: type, data: { type, ...rest } };
}

function stopOf(answer: Answer): string {
  if (answer.refusal !== undefined) return "refusal";
  if (answer.limit) return "max_tokens";
  return answer.calls ? "tool_use" : "end_turn";
}

interface Block {
  readonly start: Obj;
  readonly deltas: readonly Obj[];
}

function renderBlocks(answer: Answer, body: Obj, turn: number): Block[] {
  const thinking = answer.thinking ?? [];
  return [
    ...(answer.redacted === undefined
      ? []
      : [
          {
            start: { type: "redacted_thinking", data: `red|${sign(body, "redacted")}|${answer.redacted}` },
            deltas: [],
          },
        ]),
    ...(answer.thinking === undefined
      ? []
      : [
          {
            start: { type: "thinking", thinking: "", signature: "" },
            deltas: [
              ...thinking.map((text) => ({ type: "thinking_delta", thinking: text })),
              { type: "signature_delta", signature: sign(body, thinking.join("")) },
            ],
          },
        ]),
    ...(answer.text === undefined
      ? []
      : [{ start: { type: "text", text: "" }, deltas: answer.text.map((text) => ({ type: "text_delta", text })) }]),
    ...(answer.calls ?? []).map(({ id, name, args }, index) => ({
      start: {
        type: "tool_use",
        id: id ?? `toolu_${turn}_${index}`,
        name,
        input: {},
        caller: { type: "direct" },
      },
      deltas: ["", ...inPieces(args)].map((piece) => ({ type: "input_json_delta", partial_json: piece })),
    })),
  ];
}

function renderBlock({ start, deltas }: Block, index: number): WireEvent[] {
  return [
    typed("content_block_start", { index, content_block: start }),
    ...deltas.map((delta) => typed("content_block_delta", { index, delta })),
    ...(str(start.type) === "" ? [] : [typed("content_block_stop", { index })]),
  ];
}
