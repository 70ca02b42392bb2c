import type { ModelPort, ModelRequest } from "../../src/kernel/index.ts";

/** The answer of every turn: 20 chunks that arrive as fast as they are read. */
export const CHUNKS: readonly string[] = Array.from(
  { length: 20 },
  (_, i) => `chunk ${i} of the answer with some words. `,
);
export const ANSWER = CHUNKS.join("");

/** A model that takes no time of its own: what a turn takes is overhead. It counts what it is sent, so that histories are summarised. */
export const benchModel: ModelPort = {
  async *stream(request) {
    const input = Math.ceil(unitsOf(request) / 4);
    const usage = { input, output: ANSWER.length / 4, cachedRead: 0, cachedWrite: 0, costMicros: 0 };
    const chunks = request.maxOutputTokens === undefined ? CHUNKS : [SUMMARY];
    for (const text of chunks) {
      await Promise.resolve();
      yield { type: "text", text };
    }
    const message = { role: "assistant", content: [{ type: "text", text: chunks.join("") }], stop: "end" } as const;
    yield { type: "end", message, usage };
  },
};

/** The answer to whoever limits it: a compaction. */
const SUMMARY = "They asked how it was, many times, and were told in chunks.";

function unitsOf({ system, volatile, tools, messages }: ModelRequest): number {
  let units = system.length + volatile.length + JSON.stringify(tools).length;
  for (const message of messages) {
    if (message.role === "system") continue;
    for (const part of message.content) if (part.type === "text") units += part.text.length;
  }
  return units;
}
