import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelFrame } from "../../src/kernel/ports/model.ts";
import { configSchema } from "../../src/protocol/config.ts";
import { type Answer, createModelServer, type Listening, listen, type ModelServer } from "../kit/model-server/index.ts";
import { KEY, makeRequest } from "./kit.ts";
import { type Job, serve } from "./workerd-entry.ts";

const BUILTINS = ["fs", "path", "crypto", "os", "util", "stream", "buffer"];

/** The providers and the SDKs as one Worker, as a deployment bundles them. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: 'import { serve } from "./workerd-entry.ts"; export default { fetch: serve };',
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "import"],
    mainFields: ["module", "main"],
    external: ["node:*"],
    alias: Object.fromEntries(BUILTINS.map((name) => [name, `node:${name}`])),
  });
  return outputFiles[0]?.text ?? "";
}

describe("inside workerd, over the loopback network", () => {
  let server: ModelServer;
  let listening: Listening;
  let workerd: Miniflare;

  beforeAll(async () => {
    server = createModelServer({ key: KEY });
    listening = await listen(server);
    workerd = new Miniflare(
      convertV4MiniflareOptions({
        modules: true,
        script: await bundle(),
        compatibilityDate: "2026-11-01",
        compatibilityFlags: ["nodejs_compat"],
      }),
    );
    await workerd.ready;
  }, 60_000);

  afterAll(async () => {
    await workerd.dispose();
    await listening.close();
  });

  const inWorkerd = async (body: string) =>
    (await workerd.dispatchFetch("http://worker/", { method: "POST", body })).text();
  const inNode = async (body: string) => (await serve(new Request("http://node/", { method: "POST", body }))).text();

  async function ask(model: string, idleMs = 30_000, send = inWorkerd): Promise<ModelFrame[]> {
    const models = [{ id: "m", thinking: true }];
    const config = configSchema.parse({
      providers: {
        a: { kind: "anthropic", keyFrom: "KEY", baseUrl: listening.url, models },
        c: { kind: "openai-chat", keyFrom: "KEY", baseUrl: `${listening.url}/v1`, models },
        r: { kind: "openai-responses", keyFrom: "KEY", baseUrl: `${listening.url}/v1`, models },
      },
    });
    const job: Job = { config, key: KEY, request: makeRequest({ model, thinking: "high", volatile: "noon" }), idleMs };
    const text = await send(JSON.stringify(job));
    return text.split("\n").map((line) => JSON.parse(line) as ModelFrame);
  }

  describe.each(["a/m", "c/m", "r/m"])("%s", (model) => {
    it("[M-48] streams an answer as Node does", async () => {
      const calls = [{ id: "c1", name: "clock", args: "{}" }];
      const answer: Answer = { thinking: ["hm"], text: ["Good ", "day"], calls, shredInto: 11 };
      server.reply(answer, answer);
      const frames = await ask(model);
      expect(frames.map(({ type }) => type)).toEqual(["thinking", "text", "text", "end"]);
      expect(frames.at(-1)).toMatchObject({ message: { stop: "calls" } });
      const [here, there] = [await ask(model, 30_000, inNode), frames];
      expect(here.slice(0, -1)).toEqual(there.slice(0, -1));
      const [first, second] = server.requests.slice(-2);
      expect(first).toMatchObject({ complaints: [], body: second?.body });
    });

    it("[M-48] [M-35] reads refusals and their headers", async () => {
      server.reply({ refuse: "rate_limit", headers: { "retry-after": "3" } });
      expect(await ask(model)).toMatchObject([{ type: "error", error: { kind: "rate_limit", retryAfterMs: 3000 } }]);
    });

    it("[M-48] [M-2] [M-3] [M-4] is guarded", async () => {
      server.reply(
        { text: ["a"], fault: { kind: "silent_end", after: 2 } },
        { drop: true },
        { fault: { kind: "idle", after: 1 } },
      );
      expect((await ask(model)).at(-1)).toMatchObject({ error: { kind: "cut" } });
      expect((await ask(model)).at(-1)).toMatchObject({ error: { kind: "network" } });
      expect((await ask(model, 300)).at(-1)).toMatchObject({ error: { kind: "idle_timeout" } });
      await expect.poll(() => server.live).toBe(0);
    });
  });
});
