import { checkChatRequest } from "./check-chat.ts";
import { openAiRefusal } from "./openai-refusals.ts";
import type { Obj } from "./reading.ts";
import { type Answer, DEFAULT_USAGE } from "./replies.ts";
import { inPieces, type VendorWire, type WireEvent } from "./wire.ts";

export const chatWire: VendorWire = {
  vendor: "openai-chat",
  paths: ["/v1/chat/completions", "/chat/completions"],
  check: checkChatRequest,
  dropped: () => 0,
  render,
  refuse: openAiRefusal,
  errorEvent: (kind) => ({ name: "", data: openAiRefusal(kind).body }),
  noise: [
    { name: "", data: { id: "x", object: "unheard.of", choices: [] } },
    { name: "", data: { id: "x", choices: [{ index: 0, delta: { unheard_of: "no" }, finish_reason: null }] } },
  ],
};

function render(answer: Answer, body: Obj, turn: number): WireEvent[] {
  const usage = answer.usage ?? DEFAULT_USAGE;
  const chunk = (rest: Obj): WireEvent => ({
    name: "",
    data: { id: `chatcmpl_${turn}`, object: "chat.completion.chunk", created: 1, model: body.model, ...rest },
  });
  const delta = (value: Obj, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: value, finish_reason: finish }], usage: null });
  return [
    delta({ role: "assistant", content: "" }),
    ...(answer.thinking ?? []).map((text) => delta({ reasoning_content: text })),
    ...(answer.text ?? []).map((text) => delta({ content: text })),
    ...(answer.refusal === undefined ? [] : [delta({ refusal: answer.refusal })]),
    ...(answer.calls ?? []).flatMap(({ id, name, args }, index) => [
      delta({
        tool_calls: [{ index, id: id ?? `call_${turn}_${index}`, type: "function", function: { name, arguments: "" } }],
      }),
      ...inPieces(args).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    delta({}, answer.limit ? "length" : answer.calls ? "tool_calls" : "stop"),
    chunk({
      choices: [],
      usage: {
        prompt_tokens: usage.prompt,
        completion_tokens: usage.output,
        total_tokens: usage.prompt + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cachedRead ?? 0, cache_write_tokens: usage.cachedWrite ?? 0 },
      },
    }),
    { name: "", data: "[DONE]" },
  ];
}
