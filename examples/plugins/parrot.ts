import { definePlugin, type PluggedModels } from "../../src/host/index.ts";
import type { ModelFrame, ModelPort, ModelRequest } from "../../src/kernel/index.ts";

const COUNT = { input: 0, output: 0, cachedRead: 0, cachedWrite: 0, costMicros: 0 };

/** A model port of one's own: it never throws, and says everything as frames, the last of which is `end` or `error`. */
const parrot: ModelPort = {
  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelFrame, void> {
    if (signal.aborted) {
      yield { type: "error", error: { kind: "aborted", message: "It was stopped.", retryable: false } };
      return;
    }
    const text = lastWords(request);
    yield { type: "text", text };
    yield {
      type: "end",
      message: { role: "assistant", content: [{ type: "text", text }], stop: "end" },
      usage: COUNT,
    };
  },
};

function lastWords({ messages }: ModelRequest): string {
  const said = messages.findLast((message) => message.role === "user");
  const words = said?.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
  return words ?? "Hello.";
}

const models: PluggedModels = {
  name: "parrot",
  models: [
    {
      id: "parrot/grey",
      label: "Grey parrot",
      thinking: ["off"],
      images: false,
      contextTokens: 32_000,
      maxOutputTokens: 1_000,
    },
  ],
  port: parrot,
};

/** Fills a provider slot: models that people choose like the configured ones. */
export const parrotPlugin = definePlugin({ name: "parrot", setup: () => ({ providers: { models } }) });
