import type { ModelError, ModelFrame, ModelPort, ModelRequest } from "../../src/kernel/ports/model.ts";
import { createModels, type Models, type ModelsInput } from "../../src/models/index.ts";
import { type ConfigInput, configSchema } from "../../src/protocol/config.ts";
import type { AssistantMessage, ToolMessage, Usage, UserMessage } from "../../src/protocol/message.ts";
import { CLAUDE_MODELS, createModelServer, listen, type ModelServer, type Vendor } from "../kit/model-server/index.ts";
import { realClock } from "./clock.ts";

/** One model of each HTTP wire, by its full name in {@link openWorld}. */
export const ONE_OF_EACH: readonly { readonly vendor: Vendor; readonly model: string }[] = [
  { vendor: "anthropic", model: "a/claude-opus-5-5" },
  { vendor: "openai-chat", model: "c/local" },
  { vendor: "openai-responses", model: "r/gpt-6.2-sol" },
];

export const KEY = "sk-test-0123456789";

export { realClock };

/** A model that says nothing of its own. */
export const mutePort: ModelPort = {
  async *stream() {
    yield { type: "text", text: "demo" };
  },
};

/** What came of one request. */
export interface Told {
  readonly frames: readonly ModelFrame[];
  /** All text frames joined. */
  readonly text: string;
  readonly thinking: string;
  readonly message?: AssistantMessage;
  readonly usage?: Usage;
  readonly error?: ModelError;
}

export interface World extends AsyncDisposable {
  readonly server: ModelServer;
  readonly models: Models;
  readonly url: string;
  ask(model: string, changes?: Partial<ModelRequest>, signal?: AbortSignal): Promise<Told>;
}

const FULL = { thinking: true, images: true, price: { input: 2, output: 10, cachedRead: 0.5, cachedWrite: 4 } };

function configFor(url: string): ConfigInput {
  const claude = CLAUDE_MODELS.map((id) => ({ id, ...FULL }));
  return {
    providers: {
      a: { kind: "anthropic", keyFrom: "KEY", baseUrl: url, models: claude },
      anthropic: { kind: "anthropic", keyFrom: "KEY", models: claude },
      c: {
        kind: "openai-chat",
        keyFrom: "KEY",
        baseUrl: `${url}/v1`,
        models: [{ id: "local", ...FULL }, { id: "plain" }],
      },
      openai: { kind: "openai-chat", keyFrom: "KEY", models: [{ id: "gpt-5.4", ...FULL }] },
      r: {
        kind: "openai-responses",
        keyFrom: "KEY",
        baseUrl: `${url}/v1`,
        models: [{ id: "gpt-6.2-sol", ...FULL }, { id: "gpt-6-luna", ...FULL }, { id: "gpt-4.1" }],
      },
    },
  };
}

/**
 * All wires against a model server on loopback. The providers `anthropic` and `openai` believe that they talk to the
 * vendors' own addresses.
 */
export async function openWorld(changes: Partial<ModelsInput> = {}): Promise<World> {
  const server = createModelServer({ key: KEY });
  const listening = await listen(server);
  const toLoopback: typeof fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return fetch(`${listening.url}${url.pathname}`, init);
  };
  const models = createModels({
    config: configSchema.parse(configFor(listening.url)),
    secrets: (name) => (name === "KEY" ? KEY : undefined),
    loadFile: () => Promise.reject(new Error("no files here")),
    demo: mutePort,
    clock: realClock,
    fetch: toLoopback,
    ...changes,
  });
  return {
    server,
    models,
    url: listening.url,
    ask: (model, given = {}, signal = new AbortController().signal) =>
      listenTo(models.port.stream(makeRequest({ model, ...given }), signal)),
    [Symbol.asyncDispose]: listening.close,
  };
}

export async function listenTo(stream: AsyncIterable<ModelFrame>): Promise<Told> {
  const frames: ModelFrame[] = [];
  for await (const frame of stream) frames.push(frame);
  const joined = (type: "text" | "thinking") =>
    frames.reduce((all, frame) => (frame.type === type ? all + frame.text : all), "");
  const last = frames.at(-1);
  return {
    frames,
    text: joined("text"),
    thinking: joined("thinking"),
    ...(last?.type === "end" ? { message: last.message, usage: last.usage } : {}),
    ...(last?.type === "error" ? { error: last.error } : {}),
  };
}

export function makeRequest(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "a/claude-opus-5-5",
    thinking: "off",
    system: "You are Althing.",
    volatile: "",
    messages: [say("Hello?")],
    tools: [],
    ...changes,
  };
}

export function say(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

/** The results of all calls of an answer, in order. */
export function resultsOf(message: AssistantMessage, text = "done"): ToolMessage[] {
  return message.content.flatMap((part) =>
    part.type === "call"
      ? [{ role: "tool", callId: part.id, name: part.name, content: [{ type: "text", text }], isError: false }]
      : [],
  );
}

export const CLOCK_TOOL = {
  name: "clock",
  description: "Tells the time.",
  parameters: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
} as const;
