import type { ModelError, ModelFrame, ModelPort, ModelRequest } from "../../src/kernel/index.ts";
import type { AssistantMessage, StopReason, Usage } from "../../src/protocol/message.ts";

/** What a scripted answer consists of. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly { readonly name: string; readonly args: string; readonly id?: string }[];
  readonly error?: Partial<ModelError>;
  readonly stop?: StopReason;
  /** What the vendor counted; {@link SCRIPTED_USAGE} unless told otherwise. */
  readonly usage?: Usage;
  /** The vendor's own blocks. */
  readonly native?: AssistantMessage["native"];
  /** How many pieces the text comes in; 2 unless told otherwise. */
  readonly pieces?: number;
  /** Called after each piece but the last (`nth` from 1): pauses or kills the stream. The signal is the request's. */
  readonly between?: (signal: AbortSignal, nth: number) => Promise<void>;
  /** Goes on when it was aborted, as a port must not. */
  readonly isDeaf?: boolean;
  /** Ends without a last frame, as a port must not. */
  readonly isSilent?: boolean;
}

/** Decides an answer from the request and how many requests came before. */
export type Script = (request: ModelRequest, nth: number) => ScriptedAnswer;

export const SCRIPTED_USAGE: Usage = { input: 10, output: 5, cachedRead: 0, cachedWrite: 0, costMicros: 7 };

/** A model that answers by a script and remembers what it was asked. The vendor outlives our crashes: so does this. */
export class ScriptedModel implements ModelPort {
  readonly requests: ModelRequest[] = [];
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelFrame, void> {
    const nth = this.requests.push(structuredClone(request)) - 1;
    const answer = this.#script(request, nth);
    const { text = "", thinking, pieces = 2, isSilent = false, isDeaf = false } = answer;
    if (thinking) yield { type: "thinking", text: thinking };
    const size = Math.ceil(text.length / pieces);
    for (let nth = 1; nth < pieces; nth++) {
      const piece = text.slice(size * (nth - 1), size * nth);
      if (piece !== "") yield { type: "text", text: piece };
      await answer.between?.(signal, nth);
      if (signal.aborted && !isDeaf) break;
    }
    if (signal.aborted && !isDeaf) {
      yield { type: "error", error: { kind: "aborted", message: "aborted", retryable: false, ...answer.error } };
      return;
    }
    if (answer.error) {
      yield { type: "error", error: { kind: "overloaded", message: "overloaded", retryable: true, ...answer.error } };
      return;
    }
    const rest = text.slice(size * (pieces - 1));
    if (rest !== "") yield { type: "text", text: rest };
    if (isSilent) return;
    yield { type: "end", message: messageOf(answer, nth), usage: answer.usage ?? SCRIPTED_USAGE };
  }
}

/** For `between`: waits until the request is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function messageOf(answer: ScriptedAnswer, nth: number): AssistantMessage {
  const { text, thinking, calls = [], stop, native } = answer;
  return {
    role: "assistant",
    content: [
      ...(thinking ? [{ type: "thinking", text: thinking } as const] : []),
      ...(text ? [{ type: "text", text } as const] : []),
      ...calls.map(({ name, args, id = "" }, i) => {
        return { type: "call", id: id || `call_${nth}_${i}`, name, args } as const;
      }),
    ],
    stop: stop ?? (calls.length > 0 ? "calls" : "end"),
    ...(native && { native }),
  };
}
