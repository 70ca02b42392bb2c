import type { ModelFrame, ModelPort, ModelRequest } from "../../kernel/ports/model.ts";
import type { ClockPort } from "../../kernel/ports/ports.ts";
import { cutText } from "../../lib/cut.ts";
import type { AssistantMessage, AssistantPart } from "../../protocol/message.ts";
import { toModelError } from "../failure.ts";
import { chunksOf } from "./chunks.ts";
import { type Plan, plan } from "./plan.ts";
import { estimateUsage, UNITS_PER_TOKEN } from "./usage.ts";

/** Pause before each chunk, for people to watch. */
const DEMO_CHUNK_MS = 20;

export interface DemoOptions {
  readonly clock: ClockPort;
  /** Pause before each chunk in milliseconds; 0: none. Default 20. */
  readonly chunkMs?: number;
}

/**
 * The model that needs no key: it follows rules, streams like a real one and makes real tool calls. Deterministic.
 */
export function createDemoModel({ clock, chunkMs = DEMO_CHUNK_MS }: DemoOptions): ModelPort {
  return { stream: (request, signal) => answer(request, signal, (until) => pause(clock, chunkMs, until)) };
}

async function* answer(
  request: ModelRequest,
  signal: AbortSignal,
  pauseFor: (signal: AbortSignal) => Promise<void>,
): AsyncGenerator<ModelFrame, void, undefined> {
  const message = toMessage(plan(request), request);
  for (const part of message.content) {
    if (part.type === "call") continue;
    for (const text of chunksOf(part.text)) {
      await pauseFor(signal);
      if (signal.aborted) break;
      yield { type: part.type, text };
    }
  }
  if (signal.aborted) yield { type: "error", error: toModelError({ kind: "aborted" }, { model: request.model }) };
  else yield { type: "end", message, usage: estimateUsage(request, message) };
}

async function pause(clock: ClockPort, chunkMs: number, signal: AbortSignal): Promise<void> {
  if (chunkMs > 0 && !signal.aborted) await clock.wait(clock.now() + chunkMs, signal);
}

function toMessage(
  { thinking, text, calls }: Plan,
  { thinking: level, maxOutputTokens }: ModelRequest,
): AssistantMessage {
  const thought: readonly AssistantPart[] = level === "off" ? [] : [{ type: "thinking", text: thinking }];
  const maxUnits = (maxOutputTokens ?? Number.POSITIVE_INFINITY) * UNITS_PER_TOKEN;
  if (text.length > maxUnits) {
    return {
      role: "assistant",
      content: [...thought, { type: "text", text: cutText(text, maxUnits) }],
      stop: "length",
    };
  }
  const parts = calls.map(({ name, args }, index): AssistantPart => {
    return { type: "call", id: `demo_${index + 1}`, name, args: JSON.stringify(args) };
  });
  const stop = calls.length > 0 ? "calls" : "end";
  return { role: "assistant", content: [...thought, { type: "text", text }, ...parts], stop };
}
