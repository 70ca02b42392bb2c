import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { ModelPort } from "../../src/kernel/ports/model.ts";
import { createModels, type Models, type ModelsInput } from "../../src/models/index.ts";
import { type ConfigInput, configSchema } from "../../src/protocol/config.ts";
import { createModelServer } from "../kit/model-server/index.ts";
import { listenTo, makeRequest, openWorld, realClock } from "./kit.ts";

function make(
  config: ConfigInput = {},
  secrets: { readonly [name: string]: string } = {},
  changes: Partial<ModelsInput> = {},
) {
  const demo: ModelPort = {
    async *stream({ model }) {
      yield { type: "text", text: `demo for ${model}` };
    },
  };
  return createModels({
    config: configSchema.parse(config),
    secrets: (name) => secrets[name],
    loadFile: () => Promise.reject(new Error("none")),
    demo,
    clock: realClock,
    ...changes,
  });
}

const ask = (models: ReturnType<typeof make>, model: string) =>
  listenTo(models.port.stream(makeRequest({ model }), new AbortController().signal));

type Providers = NonNullable<ConfigInput["providers"]>;
const OLLAMA: Providers[string] = {
  kind: "openai-chat",
  baseUrl: "http://127.0.0.1:11434/v1",
  models: [{ id: "qwen3" }],
};

describe("choices", () => {
  it("[M-45] without anything there is the demo model alone", () => {
    const models = make();
    expect(models.choices).toEqual([
      { id: "demo/demo", label: "Demo", thinking: ["off", "low", "medium", "high"], images: false, demo: true },
    ]);
    expect(models.defaultModel).toBe("demo/demo");
    expect(models.limits("demo/demo")).toEqual({ contextTokens: 32_000, maxOutputTokens: 8_000 });
  });

  it("[M-44] a key alone brings its vendor's models, the demo model last", () => {
    const ids = (secrets: { readonly [name: string]: string }) => make({}, secrets).choices.map(({ id }) => id);
    const claude = ids({ ANTHROPIC_API_KEY: "k" });
    expect(claude[0]).toBe("anthropic/claude-sonnet-5-5");
    expect(claude.at(-1)).toBe("demo/demo");
    expect(ids({ OPENAI_API_KEY: "k" })[0]).toBe("openai/gpt-6.2-sol");
    expect(ids({ OPENAI_API_KEY: " \n" })).toEqual(["demo/demo"]);
    expect(ids({ ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" }).filter((id) => id.startsWith("openai/"))).not.toEqual(
      [],
    );
  });

  it("[M-44] configured providers stand instead of the well-known ones", () => {
    const models = make({ providers: { local: OLLAMA } }, { ANTHROPIC_API_KEY: "k" });
    expect(models.choices.map(({ id }) => id)).toEqual(["local/qwen3", "demo/demo"]);
    expect(models.choices[0]).toEqual({
      id: "local/qwen3",
      label: "qwen3 (local)",
      thinking: ["off"],
      images: false,
      demo: false,
    });
  });

  it("[M-45] offers only what can be used now, and defaults to the configured model, else to the first", () => {
    const providers: Providers = {
      keyed: { ...OLLAMA, keyFrom: "MISSING" },
      cf: { kind: "workers-ai", models: [{ id: "@cf/x" }] },
      local: { ...OLLAMA, models: [{ id: "a", label: "A", thinking: true, images: true }, { id: "b" }] },
    };
    const models = make({ providers });
    expect(models.choices.map(({ id }) => id)).toEqual(["local/a", "local/b", "demo/demo"]);
    expect(models.choices[0]).toMatchObject({ label: "A", thinking: ["off", "low", "medium", "high"], images: true });
    expect(models.defaultModel).toBe("local/a");
    expect(make({ providers, agent: { model: "local/b" } }).defaultModel).toBe("local/b");
    const withAi = make({ providers }, { MISSING: "k" }, { ai: { run: () => Promise.reject(new Error("no")) } });
    expect(withAi.choices.map(({ id }) => id)).toEqual(["keyed/qwen3", "cf/@cf/x", "local/a", "local/b", "demo/demo"]);
  });

  it("[M-45] tells the limits of every configured model", () => {
    const models = make({
      providers: { x: { ...OLLAMA, models: [{ id: "a", contextTokens: 7, maxOutputTokens: 5 }] } },
    });
    expect(models.limits("x/a")).toEqual({ contextTokens: 7, maxOutputTokens: 5 });
    expect(models.limits("x/b")).toBeUndefined();
  });

  it("[Y-27] a model without a price has the one for such, else none", () => {
    const own = { input: 2, output: 10 };
    const providers = { x: { ...OLLAMA, models: [{ id: "a" }, { id: "b", price: own }] } };
    const pricesOf = (models: Models) => ["x/a", "x/b", "demo/demo"].map((id) => models.limits(id)?.price);
    expect(pricesOf(make({ providers }))).toEqual([undefined, own, undefined]);
    const unpriced = { input: 1, output: 3 };
    expect(pricesOf(make({ providers, spending: { unpriced } }))).toEqual([unpriced, own, undefined]);
  });
});

describe("routing", () => {
  it("[M-43] routes by the full name, model ids with slashes included", async () => {
    const server = createModelServer();
    const models = make(
      { providers: { or: { ...OLLAMA, models: [{ id: "vendor/model:free" }] } } },
      {},
      { fetch: (input, init) => server.fetch(new Request(input instanceof Request ? input : String(input), init)) },
    );
    expect((await ask(models, "or/vendor/model:free")).text).toBe("Hello.");
    expect(server.requests[0]?.body.model).toBe("vendor/model:free");
    expect((await ask(models, "demo/demo")).text).toBe("demo for demo/demo");
  });

  it("[M-43] an unknown name is refused with the nearest known one, quoted and cut", async () => {
    const models = make({}, { ANTHROPIC_API_KEY: "k" });
    const { error, frames } = await ask(models, "anthropic/claude-sonet-5-5");
    expect(error).toMatchObject({ kind: "unknown_model", retryable: false });
    expect(error?.message).toContain("Did you mean anthropic/claude-sonnet-5-5?");
    expect(frames).toHaveLength(1);
    const { error: odd } = await ask(models, `"\n${"x".repeat(500)}`);
    expect(odd?.message.length).toBeLessThan(260);
    expect(odd?.message).not.toContain("\n");
  });

  it("[M-46] a provider without keyFrom sends no key; one whose secret is missing sends nothing", async () => {
    const server = createModelServer();
    const seen: Request[] = [];
    const fetch: ModelsInput["fetch"] = (input, init) => {
      const request = new Request(input instanceof Request ? input : String(input), init);
      seen.push(request);
      return server.fetch(request);
    };
    const providers: Providers = {
      a: { ...OLLAMA, kind: "anthropic" },
      c: OLLAMA,
      r: { ...OLLAMA, kind: "openai-responses" },
      k: { ...OLLAMA, keyFrom: "NOT_SET" },
    };
    const models = make({ providers }, { OPENAI_API_KEY: "sk-other", ANTHROPIC_API_KEY: "sk-other" }, { fetch });
    for (const model of ["a/qwen3", "c/qwen3", "r/qwen3"]) await ask(models, model);
    expect(seen).toHaveLength(3);
    for (const request of seen) {
      expect(request.headers.get("authorization")).toBeNull();
      expect(request.headers.get("x-api-key")).toBeNull();
    }
    const { error } = await ask(models, "k/qwen3");
    expect(error).toMatchObject({ kind: "auth", retryable: false });
    expect(error?.message).toContain("NOT_SET");
    expect(seen).toHaveLength(3);
  });

  it("[M-47] loads a vendor's code at its first request, and no other's", async () => {
    const script = `
      import { registerHooks } from "node:module";
      const seen = new Set();
      registerHooks({ resolve(name, context, next) { if (/^(@anthropic-ai|openai)/.test(name)) seen.add(name); return next(name, context); } });
      const { createModels } = await import("./src/models/index.ts");
      const clock = { now: () => 0, wait: (_, signal) => new Promise((done) => signal.addEventListener("abort", done)) };
      const config = { agent: {}, providers: {}, spending: {} };
      const models = createModels({ config, secrets: () => "k", clock, fetch: () => Promise.reject(new Error("no")), loadFile() {}, demo: {} });
      const before = [...seen];
      const request = { model: "anthropic/claude-opus-5-5", thinking: "off", system: "", volatile: "", messages: [], tools: [] };
      for await (const frame of models.port.stream(request, new AbortController().signal)) console.log(frame.error.kind);
      console.log(JSON.stringify([before, [...seen]]));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout.trim().split("\n")).toEqual(["network", '[[],["@anthropic-ai/sdk/client"]]']);
  });

  it("[M-47] no wire reads the environment or writes a log", async () => {
    const names = [
      "OPENAI_BASE_URL",
      "ANTHROPIC_BASE_URL",
      "OPENAI_ORG_ID",
      "OPENAI_API_KEY",
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_LOG",
      "OPENAI_LOG",
    ];
    const before = names.map((name) => process.env[name]);
    const lines: unknown[] = [];
    const { log, warn, error, debug, info } = console;
    Object.assign(
      console,
      Object.fromEntries(
        ["log", "warn", "error", "debug", "info"].map((name) => [name, (line: unknown) => lines.push(line)]),
      ),
    );
    for (const name of names) process.env[name] = name.endsWith("LOG") ? "debug" : "http://127.0.0.1:1/env";
    try {
      await using world = await openWorld();
      for (const model of ["anthropic/claude-opus-5-5", "openai/gpt-5.4", "r/gpt-6.2-sol"]) {
        world.server.reply({ text: ["fine"] }, { text: ["x"], fault: { kind: "garbage", after: 3 } });
        expect((await world.ask(model)).text).toBe("fine");
        await world.ask(model);
      }
      for (const { headers } of world.server.requests) expect(headers.get("openai-organization")).toBeNull();
    } finally {
      Object.assign(console, { log, warn, error, debug, info });
      for (const [at, name] of names.entries()) {
        if (before[at] === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = before[at];
      }
    }
    expect(lines).toEqual([]);
  });

  it("[M-10] a fault of its own code is an error frame that quotes nothing", async () => {
    await using world = await openWorld();
    const poison = {
      role: "user" as const,
      content: [
        {
          type: "text" as const,
          get text(): string {
            throw new RangeError("SECRET");
          },
        },
      ],
    };
    for (const model of ["a/claude-opus-5-5", "c/local", "r/gpt-6.2-sol"]) {
      const { error, frames } = await world.ask(model, { messages: [poison] });
      expect(frames).toHaveLength(1);
      expect(error).toMatchObject({ kind: "protocol", retryable: false });
      expect(error?.message).toContain("RangeError");
      expect(error?.message).not.toContain("SECRET");
    }
  });
});
