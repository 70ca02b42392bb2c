import { checkResponsesRequest, countDroppedReasoning } from "./check-responses.ts";
import { openAiRefusal } from "./openai-refusals.ts";
import { type Obj, obj } from "./reading.ts";
import { type Answer, DEFAULT_USAGE } from "./replies.ts";
import { encrypt } from "./signatures.ts";
import { inPieces, type VendorWire, type WireEvent } from "./wire.ts";

export const responsesWire: VendorWire = {
  vendor: "openai-responses",
  paths: ["/v1/responses", "/responses"],
  check: checkResponsesRequest,
  dropped: countDroppedReasoning,
  render: (answer, body, turn) => number(render(answer, body, turn)),
  refuse: openAiRefusal,
  errorEvent(kind) {
    const { message, code, type } = obj(obj(openAiRefusal(kind).body).error);
    return { name: "error", data: { type: "error", code: code ?? type, message, param: null, sequence_number: 9 } };
  },
  noise: [
    { name: "response.unheard_of", data: { type: "response.unheard_of", delta: "no" } },
    { name: "response.in_progress", data: { type: "response.in_progress", response: {} } },
  ],
};

function number(events: WireEvent[]): WireEvent[] {
  return events.map(({ name, data }, index) => ({ name, data: { ...obj(data), sequence_number: index } }));
}

function typed(type: string, rest: Obj): WireEvent {
  return { name: type, data: { type, ...rest } };
}

function render(answer: Answer, body: Obj, turn: number): WireEvent[] {
  const usage = answer.usage ?? DEFAULT_USAGE;
  const items = renderItems(answer, body, turn);
  const response = { id: `resp_${turn}`, object: "response", model: body.model };
  const ended = answer.limit
    ? { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }
    : { status: "completed", incomplete_details: null };
  return [
    typed("response.created", { response: { ...response, status: "in_progress", output: [] } }),
    typed("response.in_progress", { response: { ...response, status: "in_progress", output: [] } }),
    ...items.flatMap(({ open, middle, done }, output_index) => [
      typed("response.output_item.added", { output_index, item: open }),
      ...middle.map(({ name, data }) => typed(name, { ...obj(data), output_index, item_id: open.id })),
      typed("response.output_item.done", { output_index, item: done }),
    ]),
    typed(answer.limit ? "response.incomplete" : "response.completed", {
      response: {
        ...response,
        ...ended,
        output: items.map(({ done }) => done),
        usage: {
          input_tokens: usage.prompt,
          input_tokens_details: { cached_tokens: usage.cachedRead ?? 0, cache_write_tokens: usage.cachedWrite ?? 0 },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: usage.prompt + usage.output,
        },
      },
    }),
  ];
}

interface Item {
  readonly open: Obj;
  readonly middle: readonly WireEvent[];
  readonly done: Obj;
}

function renderItems(answer: Answer, body: Obj, turn: number): Item[] {
  const thought = answer.thinking !== undefined;
  const id = (kind: string, index: number) => `${thought ? "thought" : "item"}_${turn}_${kind}${index}`;
  return [
    ...(answer.thinking === undefined ? [] : [renderReasoning(answer.thinking, body, turn)]),
    ...(answer.text === undefined ? [] : [renderMessage(id("msg", 0), answer.text, "text")]),
    ...(answer.refusal === undefined ? [] : [renderMessage(id("msg", 1), [answer.refusal], "refusal")]),
    ...(answer.calls ?? []).map(({ id: callId, name, args }, index): Item => {
      const item = { id: id("fc", index), type: "function_call", call_id: callId ?? `call_${turn}_${index}`, name };
      return {
        open: { ...item, arguments: "", status: "in_progress" },
        middle: [
          ...inPieces(args).map((delta) => ({ name: "response.function_call_arguments.delta", data: { delta } })),
          { name: "response.function_call_arguments.done", data: { arguments: args } },
        ],
        done: { ...item, arguments: args, status: "completed" },
      };
    }),
  ];
}

function renderReasoning(pieces: readonly string[], body: Obj, turn: number): Item {
  const text = pieces.join("");
  const item = { id: `rs_${turn}`, type: "reasoning" };
  return {
    open: { ...item, summary: [], encrypted_content: "enc.unfinished" },
    middle: [
      { name: "response.reasoning_summary_part.added", data: { summary_index: 0, part: { type: "summary_text" } } },
      ...pieces.map((delta) => ({ name: "response.reasoning_summary_text.delta", data: { summary_index: 0, delta } })),
    ],
    done: { ...item, summary: [{ type: "summary_text", text }], encrypted_content: encrypt(body, text) },
  };
}

function renderMessage(id: string, pieces: readonly string[], kind: "text" | "refusal"): Item {
  const text = pieces.join("");
  const item = { id, type: "message", role: "assistant" };
  const part = kind === "text" ? { type: "output_text", text, annotations: [] } : { type: "refusal", refusal: text };
  const delta = kind === "text" ? "response.output_text.delta" : "response.refusal.delta";
  return {
    open: { ...item, status: "in_progress", content: [] },
    middle: [
      { name: "response.content_part.added", data: { content_index: 0 } },
      ...pieces.map((piece) => ({ name: delta, data: { content_index: 0, delta: piece } })),
      { name: "response.content_part.done", data: { content_index: 0, part } },
    ],
    done: { ...item, status: "completed", content: [part] },
  };
}
