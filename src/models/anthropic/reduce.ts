import { unreachable } from "../../lib/assert.ts";
import type { Json } from "../../lib/json.ts";
import type { AssistantMessage, AssistantPart } from "../../protocol/message.ts";
import { finishAnswer } from "../answer.ts";
import type { LiveFrame, Step, StreamReducer, WireEvent } from "../guard.ts";
import { packNative } from "../native.ts";
import { argsObject } from "../tool-args.ts";
import type { TokenCounts } from "../usage.ts";
import { asCount, asObject, asText, type WireObject } from "../wire-json.ts";
import { failureOfError } from "./errors.ts";

/** A content block as far as it has come. `start` is the block that opened it, kept for fields we do not know. */
interface Block {
  readonly kind: "text" | "thinking" | "redacted" | "call" | "other";
  readonly start: WireObject;
  readonly text: string;
  readonly signature: string;
}

export interface AnthropicState {
  /** By the vendor's block index. */
  readonly blocks: ReadonlyMap<number, Block>;
  readonly stop: string;
  readonly explanation: string;
  readonly ended: boolean;
  readonly counts?: TokenCounts;
}

const KINDS: { readonly [type: string]: Block["kind"] } = {
  text: "text",
  thinking: "thinking",
  redacted_thinking: "redacted",
  tool_use: "call",
};

const NO_FRAMES: readonly LiveFrame[] = [];

/** Folds the events of `POST /v1/messages`. `note` is the volatile text that the request ended with. */
export function anthropicReducer(model: string, note: string): StreamReducer<AnthropicState> {
  return {
    start: { blocks: new Map(), stop: "", explanation: "", ended: false },
    step,
    finish: (state) => (state.ended ? finish(state, model, note) : undefined),
    counts: (state) => state.counts,
  };
}

function step(state: AnthropicState, { name, data }: WireEvent): Step<AnthropicState> {
  switch (asText(data.type) || name) {
    case "message_start":
      return still({ ...state, ...readCounts(state.counts, asObject(asObject(data.message).usage)) });
    case "content_block_start":
      return startBlock(state, asCount(data.index) ?? state.blocks.size, asObject(data.content_block));
    case "content_block_delta":
      return addDelta(state, asCount(data.index) ?? state.blocks.size - 1, asObject(data.delta));
    case "message_delta": {
      const delta = asObject(data.delta);
      const explanation = asText(asObject(delta.stop_details).explanation) || state.explanation;
      const stop = asText(delta.stop_reason) || state.stop;
      return still({ ...state, stop, explanation, ...readCounts(state.counts, asObject(data.usage)) });
    }
    case "message_stop":
      return { state: { ...state, ended: true }, frames: NO_FRAMES, done: true };
    case "error":
      return { state, frames: NO_FRAMES, failure: failureOfError(asObject(data.error)) };
    default:
      return still(state);
  }
}

function still(state: AnthropicState): Step<AnthropicState> {
  return { state, frames: NO_FRAMES };
}

function startBlock(state: AnthropicState, index: number, start: WireObject): Step<AnthropicState> {
  const kind = KINDS[asText(start.type)] ?? "other";
  const text = kind === "text" ? asText(start.text) : kind === "thinking" ? asText(start.thinking) : "";
  return withBlock(state, index, { kind, start, text, signature: asText(start.signature) }, text);
}

function addDelta(state: AnthropicState, index: number, delta: WireObject): Step<AnthropicState> {
  const block = state.blocks.get(index);
  if (block === undefined) return still(state);
  switch (asText(delta.type)) {
    case "text_delta":
      return grow(state, index, block, asText(delta.text));
    case "thinking_delta":
      return grow(state, index, block, asText(delta.thinking));
    case "input_json_delta":
      return grow(state, index, block, asText(delta.partial_json));
    case "signature_delta":
      return withBlock(state, index, { ...block, signature: block.signature + asText(delta.signature) }, "");
    default:
      return still(state);
  }
}

function grow(state: AnthropicState, index: number, block: Block, added: string): Step<AnthropicState> {
  return withBlock(state, index, { ...block, text: block.text + added }, added);
}

function withBlock(state: AnthropicState, index: number, block: Block, shown: string): Step<AnthropicState> {
  const blocks = new Map(state.blocks).set(index, block);
  const visible = shown !== "" && (block.kind === "text" || block.kind === "thinking");
  const frames: LiveFrame[] = visible ? [{ type: block.kind, text: shown }] : [];
  return { state: { ...state, blocks }, frames };
}

/** Counts are cumulative; later events repeat only what changed. */
function readCounts(before: TokenCounts | undefined, usage: WireObject): { counts?: TokenCounts } {
  const counts: TokenCounts = {
    input: asCount(usage.input_tokens) ?? before?.input ?? 0,
    output: asCount(usage.output_tokens) ?? before?.output ?? 0,
    cachedRead: asCount(usage.cache_read_input_tokens) ?? before?.cachedRead ?? 0,
    cachedWrite: asCount(usage.cache_creation_input_tokens) ?? before?.cachedWrite ?? 0,
  };
  return Object.keys(usage).length === 0 ? {} : { counts };
}

function finish(state: AnthropicState, model: string, note: string): AssistantMessage {
  const blocks = [...state.blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => block);
  const refused = state.stop === "refusal";
  const parts = blocks.flatMap(toPart);
  const silent = refused && !parts.some((part) => part.type === "text" && part.text.trim() !== "");
  const thought = blocks.some(({ kind }) => kind === "thinking" || kind === "redacted");
  return finishAnswer({
    parts: silent ? [...parts, { type: "text", text: state.explanation }] : parts,
    refused,
    cutAtLimit: state.stop === "max_tokens" || state.stop === "model_context_window_exceeded",
    ...(thought ? { native: packNative(model, { note, items: blocks.flatMap(toNative) }) } : {}),
  });
}

function toPart({ kind, start, text }: Block): AssistantPart[] {
  if (kind === "text" || kind === "thinking") return [{ type: kind, text }];
  if (kind !== "call") return [];
  return [{ type: "call", id: asText(start.id), name: asText(start.name), args: rawArgs(start, text) }];
}

/** Some servers send the arguments whole in the opening block and no deltas. */
function rawArgs(start: WireObject, text: string): string {
  return text === "" ? JSON.stringify(asObject(start.input)) : text;
}

/** The block as the vendor wants it back: what opened it, with what the deltas filled in. */
function toNative({ kind, start, text, signature }: Block): Json[] {
  const kept = start as { readonly [key: string]: Json };
  switch (kind) {
    case "text":
      return text.trim() === "" ? [] : [{ ...kept, text }];
    case "thinking":
      return [{ ...kept, thinking: text, signature }];
    case "redacted":
      return [kept];
    case "call":
      return [{ ...kept, input: argsObject(rawArgs(start, text)) }];
    case "other":
      return [];
    default:
      return unreachable(kind);
  }
}
