import type { Json } from "../../lib/json.ts";
import type { AssistantMessage, AssistantPart } from "../../protocol/message.ts";
import { finishAnswer } from "../answer.ts";
import type { LiveFrame, Step, StreamReducer, WireEvent } from "../guard.ts";
import { packNative } from "../native.ts";
import { failureOfEvent } from "../openai/errors.ts";
import type { TokenCounts } from "../usage.ts";
import { asCount, asList, asObject, asText, type WireObject } from "../wire-json.ts";
import { addCallDelta, type CallDraft } from "./call-drafts.ts";

export interface ChatState {
  readonly text: string;
  readonly thinking: string;
  readonly refused: boolean;
  readonly calls: readonly CallDraft[];
  /** The fields that the server gave its reasoning in, to be sent back under the same names. */
  readonly kept: { readonly [field: string]: Json };
  readonly finish: string;
  readonly ended: boolean;
  readonly counts?: TokenCounts;
}

const START: ChatState = {
  text: "",
  thinking: "",
  refused: false,
  calls: [],
  kept: {},
  finish: "",
  ended: false,
};

/** Names that servers of this wire give to reasoning text. */
export const REASONING_FIELDS = ["reasoning_content", "reasoning"] as const;

export interface ChatReducerOptions {
  readonly model: string;
  /** The volatile text that the request ended with. */
  readonly note: string;
  /** Whether `[DONE]` alone ends an answer, for a wire that gives no finish reason. */
  readonly doneIsTerminal: boolean;
}

/** Folds the chunks of `POST /chat/completions`. The finish reason is the terminal event; usage may follow it. */
export function chatReducer(options: ChatReducerOptions): StreamReducer<ChatState> {
  return {
    start: START,
    step: (state, event) => step(state, event, options.doneIsTerminal),
    finish: (state) => (state.ended ? finish(state, options) : undefined),
    counts: (state) => state.counts,
  };
}

function step(state: ChatState, { name, data }: WireEvent, doneIsTerminal: boolean): Step<ChatState> {
  if (name === "[DONE]") return { state: { ...state, ended: state.ended || doneIsTerminal }, frames: [], done: true };
  if (name === "error" || (data.error !== undefined && data.error !== null)) {
    return { state, frames: [], failure: failureOfEvent(data) };
  }
  const choice = asObject(asList(data.choices)[0]);
  const delta = asObject(choice.delta);
  const finishReason = asText(choice.finish_reason) || state.finish;
  const frames = readFrames(delta);
  const added = (type: LiveFrame["type"]) =>
    frames.reduce((all, one) => (one.type === type ? all + one.text : all), "");
  return {
    frames,
    state: {
      text: state.text + added("text"),
      thinking: state.thinking + added("thinking"),
      refused: state.refused || asText(delta.refusal) !== "" || finishReason === "content_filter",
      calls: asList(delta.tool_calls).reduce(addCallDelta, state.calls),
      kept: keepReasoning(state.kept, delta),
      finish: finishReason,
      ended: state.ended || finishReason !== "",
      ...readCounts(state.counts, asObject(data.usage)),
    },
  };
}

function readFrames(delta: WireObject): LiveFrame[] {
  const thought = REASONING_FIELDS.map((field) => asText(delta[field])).find((text) => text !== "") ?? "";
  const text = contentText(delta.content) + asText(delta.refusal);
  return [
    ...(thought === "" ? [] : [{ type: "thinking" as const, text: thought }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
  ];
}

/** A text, or (on some servers) a list of parts. */
function contentText(content: unknown): string {
  return (
    asText(content) ||
    asList(content)
      .map((part) => asText(asObject(part).text))
      .join("")
  );
}

function keepReasoning(kept: ChatState["kept"], delta: WireObject): ChatState["kept"] {
  let all = kept;
  for (const field of REASONING_FIELDS) {
    const text = asText(delta[field]);
    if (text !== "") all = { ...all, [field]: asText(all[field]) + text };
  }
  const details = asList(delta.reasoning_details) as readonly Json[];
  return details.length === 0
    ? all
    : { ...all, reasoning_details: [...(asList(all.reasoning_details) as readonly Json[]), ...details] };
}

/** `prompt_tokens` includes what was cached. */
function readCounts(before: TokenCounts | undefined, usage: WireObject): { counts?: TokenCounts } {
  const prompt = asCount(usage.prompt_tokens);
  if (prompt === undefined) return before === undefined ? {} : { counts: before };
  const details = asObject(usage.prompt_tokens_details);
  const cachedRead = Math.min(prompt, asCount(details.cached_tokens) ?? 0);
  const cachedWrite = Math.min(prompt - cachedRead, asCount(details.cache_write_tokens) ?? 0);
  const output = asCount(usage.completion_tokens) ?? 0;
  return { counts: { input: prompt - cachedRead - cachedWrite, output, cachedRead, cachedWrite } };
}

function finish(state: ChatState, { model, note }: ChatReducerOptions): AssistantMessage {
  const parts: AssistantPart[] = [
    { type: "thinking", text: state.thinking },
    { type: "text", text: state.text },
    ...state.calls.map(({ id, name, args }) => ({ type: "call" as const, id, name, args })),
  ];
  const extras = state.calls.map(({ extra }) => extra);
  const worthKeeping = Object.keys(state.kept).length > 0 || extras.some((extra) => Object.keys(extra).length > 0);
  return finishAnswer({
    parts,
    refused: state.refused,
    cutAtLimit: state.finish === "length",
    ...(worthKeeping ? { native: packNative(model, { note, items: [{ fields: state.kept, extras }] }) } : {}),
  });
}
