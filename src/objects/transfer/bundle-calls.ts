import type { BundleEntry } from "../../protocol/bundle.ts";

/** Answers whose calls may still get results: those of a step come at once, late ones as something that was said. */
const MAX_OPEN_ANSWERS = 1_000;

interface Call {
  readonly id: string;
  readonly name: string;
  isAnswered: boolean;
}

/** Pairs calls and results of a transcript as it is read: each result has a call before it, and each call one at most. */
export class BundleCalls {
  readonly #open = new Map<number, Call[]>();

  /** Why an entry does not fit what came before; undefined when it does. */
  take({ id, message, data }: BundleEntry): string | undefined {
    if (message?.role === "assistant") {
      const calls = message.content.flatMap((part) => (part.type === "call" ? [{ ...part, isAnswered: false }] : []));
      if (calls.length > 0) this.#open.set(id, calls);
      const [oldest] = this.#open.keys();
      if (this.#open.size > MAX_OPEN_ANSWERS && oldest !== undefined) this.#open.delete(oldest);
      return undefined;
    }
    if (message?.role !== "tool") return undefined;
    const { entry, index } = data as { readonly entry: number; readonly index: number };
    const call = this.#open.get(entry)?.[index];
    if (!call) return `it is the result of call ${index} of entry ${entry}, and there is none`;
    if (call.isAnswered) return `call ${index} of entry ${entry} has a result already`;
    if (call.id !== message.callId || call.name !== message.name) {
      return `it is the result of ${message.name}, and call ${index} of entry ${entry} is one of ${call.name}`;
    }
    call.isAnswered = true;
    return undefined;
  }
}
