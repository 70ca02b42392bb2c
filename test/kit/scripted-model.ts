import type { ModelError, ModelFrame, ModelPort, ModelRequest } from "../../src/kernel/index.ts";
import type { AssistantMessage, Usage } from "../../src/protocol/message.ts";

/** What a scripted answer consists of. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly { readonly name: string; readonly args: string }[];
  readonly error?: Partial<ModelError>;
  /** Called between the first and the last chunk: pauses or kills the stream. */
  readonly between?: () => Promise<void>;
}

/** Decides an answer from the request and how many requests came before. */
export type Script = (request: ModelRequest, nth: number) => ScriptedAnswer;

const USAGE: Usage = { input: 10, output: 5, cachedRead: 0, cachedWrite: 0, costMicros: 7 };

/** A model that answers by a script and remembers what it was asked. The vendor outlives our crashes: so does this. */
export class ScriptedModel implements ModelPort {
  readonly requests: ModelRequest[] = [];
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelFrame> {
    const nth = this.requests.push(structuredClone(request)) - 1;
    const answer = this.#script(request, nth);
    if (answer.thinking) yield { type: "thinking", text: answer.thinking };
    const text = answer.text ?? "";
    const half = Math.ceil(text.length / 2);
    if (text !== "") yield { type: "text", text: text.slice(0, half) };
    await answer.between?.();
    if (signal.aborted)
      return yield { type: "error", error: { kind: "aborted", message: "aborted", retryable: false } };
    if (answer.error) {
      return yield {
        type: "error",
        error: { kind: "overloaded", message: "overloaded", retryable: true, ...answer.error },
      };
    }
    if (text.length > half) yield { type: "text", text: text.slice(half) };
    yield { type: "end", message: messageOf(answer, nth), usage: USAGE };
  }
}

function messageOf(answer: ScriptedAnswer, nth: number): AssistantMessage {
  const { text, thinking, calls = [] } = answer;
  return {
    role: "assistant",
    content: [
      ...(thinking ? [{ type: "thinking", text: thinking } as const] : []),
      ...(text ? [{ type: "text", text } as const] : []),
      ...calls.map((call, i) => ({ type: "call", id: `call_${nth}_${i}`, ...call }) as const),
    ],
    stop: calls.length > 0 ? "calls" : "end",
  };
}
