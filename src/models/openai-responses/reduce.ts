import type { Json } from "../../lib/json.ts";
import type { AssistantMessage, AssistantPart } from "../../protocol/message.ts";
import { finishAnswer } from "../answer.ts";
import type { LiveFrame, Step, StreamReducer, WireEvent } from "../guard.ts";
import { packNative } from "../native.ts";
import { failureOfEvent } from "../openai/errors.ts";
import type { TokenCounts } from "../usage.ts";
import { asCount, asList, asObject, asText, type WireObject } from "../wire-json.ts";

export interface ResponsesState {
  /** Finished output items by their place. */
  readonly items: ReadonlyMap<number, WireObject>;
  readonly ended: "" | "completed" | "incomplete";
  /** Why an incomplete answer ended. */
  readonly reason: string;
  readonly counts?: TokenCounts;
}

/** Folds the events of `POST /responses`. `note` is the volatile text that the request ended with. */
export function responsesReducer(model: string, note: string): StreamReducer<ResponsesState> {
  return {
    start: { items: new Map(), ended: "", reason: "" },
    step,
    finish: (state) => (state.ended === "" ? undefined : finish(state, model, note)),
    counts: (state) => state.counts,
  };
}

function step(state: ResponsesState, { name, data }: WireEvent): Step<ResponsesState> {
  switch (asText(data.type) || name) {
    case "response.output_text.delta":
    case "response.refusal.delta":
      return show(state, "text", asText(data.delta));
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return show(state, "thinking", asText(data.delta));
    case "response.reasoning_summary_part.added":
      return show(state, "thinking", (asCount(data.summary_index) ?? 0) > 0 ? "\n\n" : "");
    case "response.output_item.done": {
      const items = new Map(state.items).set(asCount(data.output_index) ?? state.items.size, asObject(data.item));
      return { state: { ...state, items }, frames: [] };
    }
    case "response.completed":
      return end(state, "completed", asObject(data.response));
    case "response.incomplete":
      return end(state, "incomplete", asObject(data.response));
    case "response.failed": {
      const response = asObject(data.response);
      return { state: { ...state, ...readCounts(response) }, frames: [], failure: failureOfEvent(response) };
    }
    case "error":
      return { state, frames: [], failure: failureOfEvent(data) };
    default:
      return { state, frames: [] };
  }
}

function show(state: ResponsesState, type: LiveFrame["type"], text: string): Step<ResponsesState> {
  return { state, frames: text === "" ? [] : [{ type, text }] };
}

/** Some servers name the items only in the last event. */
function end(state: ResponsesState, ended: "completed" | "incomplete", response: WireObject): Step<ResponsesState> {
  const listed = asList(response.output).map(asObject);
  const items = state.items.size > 0 ? state.items : new Map(listed.entries());
  const reason = asText(asObject(response.incomplete_details).reason);
  return { state: { items, ended, reason, ...readCounts(response) }, frames: [], done: true };
}

/** `input_tokens` includes what was cached. */
function readCounts(response: WireObject): { counts?: TokenCounts } {
  const usage = asObject(response.usage);
  const prompt = asCount(usage.input_tokens);
  if (prompt === undefined) return {};
  const details = asObject(usage.input_tokens_details);
  const cachedRead = Math.min(prompt, asCount(details.cached_tokens) ?? 0);
  const cachedWrite = Math.min(prompt - cachedRead, asCount(details.cache_write_tokens) ?? 0);
  const output = asCount(usage.output_tokens) ?? 0;
  return { counts: { input: prompt - cachedRead - cachedWrite, output, cachedRead, cachedWrite } };
}

function finish(state: ResponsesState, model: string, note: string): AssistantMessage {
  const ordered = [...state.items.entries()].sort(([a], [b]) => a - b).map(([, item]) => item);
  const items = ordered.filter((item) => item.type !== "message" || wordsOf(item).some((text) => text.trim() !== ""));
  const words = items.flatMap(({ type, content }) => (type === "message" ? asList(content).map(asObject) : []));
  const refused = words.some(({ type }) => type === "refusal") || state.reason === "content_filter";
  return finishAnswer({
    parts: items.flatMap(toParts),
    refused,
    cutAtLimit: state.ended === "incomplete",
    ...(isWorthKeeping(items) ? { native: packNative(model, { note, items: items as readonly Json[] }) } : {}),
  });
}

function toParts(item: WireObject): AssistantPart[] {
  switch (item.type) {
    case "message":
      return wordsOf(item).map((text) => ({ type: "text", text }));
    case "reasoning":
      return [{ type: "thinking", text: reasoningText(item) }];
    case "function_call":
      return [{ type: "call", id: asText(item.call_id), name: asText(item.name), args: asText(item.arguments) }];
    default:
      return [];
  }
}

function wordsOf({ content }: WireObject): string[] {
  return asList(content).map((part) => asText(asObject(part).text) || asText(asObject(part).refusal));
}

function reasoningText(item: WireObject): string {
  const texts = [...asList(item.summary), ...asList(item.content)].map((part) => asText(asObject(part).text));
  return texts.filter((text) => text !== "").join("\n\n");
}

/**
 * Whether the items say more than the normal form: reasoning, or the phase of a message. Reasoning can be sent back only
 * with its content, for the vendor stores nothing, and calls that refer to reasoning which is missing are refused.
 */
function isWorthKeeping(items: readonly WireObject[]): boolean {
  const thoughts = items.filter(({ type }) => type === "reasoning");
  const whole = thoughts.every((item) => asText(item.encrypted_content) !== "" || asList(item.content).length > 0);
  return whole && (thoughts.length > 0 || items.some(({ phase }) => asText(phase) !== ""));
}
