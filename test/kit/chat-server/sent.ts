import type { Message } from "../../../src/protocol/message.ts";
import type { ReplayAnswer, SentRequest } from "../../../src/protocol/rest.ts";
import type { MockConversation } from "./conversation.ts";
import { Refusal } from "./refusal.ts";

const TOOLS: Readonly<Record<string, string>> = {
  current_time: "Tells the time in a time zone.",
  calculate: "Evaluates an expression.",
  send_webhook: "Sends JSON to a webhook that the operator configured.",
};

/** What was sent for an answer. Answers that were inherited or failed have no record. */
export function sentFor(c: MockConversation, entry: number): SentRequest {
  const index = c.active.findIndex((one) => one.id === entry);
  const answer = c.active[index];
  const data = answer?.data as { readonly display?: unknown } | undefined;
  if (answer?.kind !== "core.assistant" || answer.inherited === true || data?.display !== undefined)
    throw new Refusal("not_found", "Nothing was recorded for this answer.");
  const before = c.active.slice(0, index);
  return {
    model: c.chat.model,
    thinking: c.chat.thinking,
    system: "You are a helpful agent.\n<b>Never</b> guess what a tool can tell.",
    volatile: "It is Tuesday, 3 November 2026, 12:04 UTC.",
    tools: Object.entries(TOOLS).map(([name, description]) => ({
      name,
      description,
      parameters: {
        type: "object",
        properties: { [name === "calculate" ? "expression" : "zone"]: { type: "string" } },
      },
    })),
    messages: before.flatMap(({ message }): Message[] => (message === undefined ? [] : [message])),
    cutoff: before.at(-1)?.id ?? 0,
  };
}

/** The scripted answer of another model. "Demo, brief" refuses, so that both ends can be seen. */
export function replayFor(c: MockConversation, entry: number, model: string): ReplayAnswer {
  sentFor(c, entry);
  if (model === "demo/brief") return { ok: false, error: "The model is overloaded (529)." };
  return {
    ok: true,
    message: {
      role: "assistant",
      stop: "calls",
      content: [
        { type: "text", text: "I would have looked at **the clock** first." },
        { type: "call", id: "call_0", name: "current_time", args: '{"zone":"Asia/Tokyo"}' },
      ],
    },
    usage: { input: 1_400, output: 40, cachedRead: 0, cachedWrite: 0, costMicros: 900 },
    ms: 640,
  };
}
