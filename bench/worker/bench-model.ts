import type { ModelPort } from "../../src/kernel/index.ts";

/** The answer of every turn: 20 chunks that arrive as fast as they are read. */
export const CHUNKS: readonly string[] = Array.from(
  { length: 20 },
  (_, i) => `chunk ${i} of the answer with some words. `,
);
export const ANSWER = CHUNKS.join("");

/** A model that takes no time of its own: what a turn takes is overhead. */
export const benchModel: ModelPort = {
  async *stream() {
    for (const text of CHUNKS) {
      await Promise.resolve();
      yield { type: "text", text };
    }
    const usage = { input: 100, output: 100, cachedRead: 0, cachedWrite: 0, costMicros: 0 };
    yield {
      type: "end",
      message: { role: "assistant", content: [{ type: "text", text: ANSWER }], stop: "end" },
      usage,
    };
  },
};
