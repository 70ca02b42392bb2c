import { env } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import * as z from "zod";
import { definePlugin } from "../../src/host/index.ts";
import { defineTool } from "../../src/kernel/index.ts";
import { FileDigests, FileStoreFailure } from "../../src/objects/files/file-digests.ts";
import { filePlace } from "../../src/objects/files/stored-files.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";

const DONE = { ok: true, value: {} };
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** A conversation with a file and a tool whose calls are about it. */
async function begin(): Promise<{
  readonly talk: Talk;
  readonly put: (text: string) => Promise<unknown>;
  readonly ran: string[];
}> {
  const stage = new Stage();
  const ran: string[] = [];
  const publish = defineTool({
    name: "publish",
    description: "Publishes a file.",
    input: z.object({ file: z.string() }),
    execute: ({ file }) => {
      ran.push(file);
      return Promise.resolve({ text: "published" });
    },
  });
  const plugin = definePlugin({
    name: "press",
    setup: () => ({
      tools: [{ tool: publish, tier: "member" }],
      holdRules: [
        ({ tool, input }) =>
          tool === "publish" ? { text: "publish a file", files: [(input as { file: string }).file] } : undefined,
      ],
    }),
  });
  stage.plugins = (builtIn) => [...builtIn, plugin];
  stage.script = ({ messages }) =>
    messages.at(-1)?.role === "user" ? { calls: [{ name: "publish", args: '{"file":"f1"}' }] } : { text: "Done." };
  const talk = await Talk.begin(stage);
  const put = (text: string) => env.FILES.put(filePlace(stage.key, "f1"), text);
  await put("the plan");
  await talk.rpc.addFile(talk.caller, { id: "f1", name: "plan.txt", mime: "text/plain", bytes: 8 });
  return { talk, put, ran };
}

it("[H-80] a card shows what the file's bytes in R2 hash to, and its approval runs the call", async () => {
  const { talk, ran } = await begin();
  const card = await talk.toCard();
  expect(card.files).toEqual([{ id: "f1", name: "plan.txt", bytes: 8, sha256: sha256("the plan").slice(0, 16) }]);
  expect(await talk.decide(card, "approve")).toEqual(DONE);
  await talk.idle();
  expect(ran).toEqual(["f1"]);
});

it.each([
  ["other bytes of the same length", (put: (text: string) => Promise<unknown>) => put("the plot")],
  ["nothing", (_put: unknown, key: string) => env.FILES.delete(filePlace(key, "f1"))],
] as const)("[H-82] [S-11] a press finds that %s lies there now: the call does not run", async (_what, change) => {
  const { talk, put, ran } = await begin();
  const card = await talk.toCard();
  await change(put, talk.stage.key);
  expect(await talk.decide(card, "approve")).toMatchObject({
    ok: false,
    error: { code: "changed", message: expect.stringContaining("(files)") },
  });
  await talk.idle();
  expect(ran).toEqual([]);
});

it("[H-81] bytes are read once as long as they are the same ones, and never those of a file that is too large", async () => {
  const place = `files/digests-${crypto.randomUUID()}/f1`;
  let reads = 0;
  const digests = new FileDigests({
    head: (key: string) => env.FILES.head(key),
    get(key: string) {
      reads++;
      return env.FILES.get(key);
    },
  });
  expect(await digests.of(place, 8)).toBe("missing");
  await env.FILES.put(place, "the plan");
  for (const _time of [1, 2]) expect(await digests.of(place, 8)).toEqual({ bytes: 8, sha256: sha256("the plan") });
  expect(reads).toBe(1);
  await env.FILES.put(place, "the plot");
  expect(await digests.of(place, 8)).toEqual({ bytes: 8, sha256: sha256("the plot") });
  await env.FILES.put(place, "the plans");
  expect(await digests.of(place, 8)).toBe("too_large");
  expect(reads).toBe(2);
});

it("[H-81] a store that fails is told apart from a file that is not there", async () => {
  const away = () => Promise.reject(new Error("R2 is away"));
  const digests = new FileDigests({ head: away, get: away });
  await expect(digests.of("files/a/b", 8)).rejects.toThrow(FileStoreFailure);
});
