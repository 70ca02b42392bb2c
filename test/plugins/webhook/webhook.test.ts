import { describe, expect, it } from "vitest";
import { toolsOf } from "../../../src/host/index.ts";
import type { Json } from "../../../src/lib/json.ts";
import { createWebhookPlugin, MAX_BODY_BYTES, type WebhookOptions } from "../../../src/plugins/webhook/plugin.ts";
import { MAX_REPLY_UNITS, type PostFetch } from "../../../src/plugins/webhook/post.ts";
import { run, setUp, toolOf, toolWorld } from "../kit/tool-context.ts";

const SECRET = "s3cret-path";
const targets = {
  build: { url: `https://build.example.com:8443/hooks/${SECRET}?token=${SECRET}`, label: "the build server" },
  deploy: { url: "http://10.0.0.5/deploy", label: "the deployment" },
};
const never = new AbortController().signal;

type Sent = { url: string; init: Parameters<PostFetch>[1] };

function world(answer: () => Response | Promise<Response>, options: Partial<WebhookOptions> = {}) {
  const sent: Sent[] = [];
  const fetch: PostFetch = async (url, init) => {
    sent.push({ url, init });
    return answer();
  };
  const plugin = createWebhookPlugin({ targets, fetch, timer: () => never, ...options });
  const send = (input: Json, signal?: AbortSignal) =>
    run(toolOf(plugin, "send_webhook"), input, toolWorld().context(7, signal));
  return { sent, plugin, send };
}

const answering = (status: number, body: string | null = "") => world(() => new Response(body, { status }));
const silent = () => new Promise<never>(() => undefined);

describe("send_webhook: what is sent", () => {
  it("[G-25] is there only when a target is configured", () => {
    const fetch = silent;
    const toolsWith = (of: typeof targets | Record<string, never>) =>
      toolsOf(setUp(createWebhookPlugin({ targets: of, fetch }))).map(({ name }) => name);
    expect(toolsWith({})).toEqual([]);
    expect(toolsWith(targets)).toEqual(["send_webhook"]);
  });

  it("[G-25] posts the JSON once, with the call's idempotency key, following nothing", async () => {
    const { sent, send } = answering(200, "done");
    await send({ target: "build", body: { ref: "main", n: [1, null, { a: "ü" }] } });
    expect(sent).toEqual([
      {
        url: targets.build.url,
        init: {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "idempotency-key": "test-conversation/7",
            "user-agent": "Althing",
          },
          body: '{"ref":"main","n":[1,null,{"a":"ü"}]}',
          redirect: "manual",
          signal: expect.any(AbortSignal) as AbortSignal,
        },
      },
    ]);
  });

  it("[G-25] the schema names the targets and takes any object", () => {
    const { plugin } = answering(200);
    const tool = toolOf(plugin, "send_webhook");
    expect(tool.parameters).toMatchObject({
      properties: { target: { enum: ["build", "deploy"] }, body: { type: "object" } },
      required: ["target", "body"],
    });
    expect(JSON.stringify(tool.parameters)).not.toContain("$ref");
    expect(tool.description).toContain('"build" (the build server), "deploy" (the deployment)');
  });

  it.each([
    [{ target: "bulid", body: {} }, '"bulid" is no webhook of this deployment; known are build, deploy'],
    [{ target: "constructor", body: {} }, "known are build, deploy"],
    [{ target: 7, body: {} }, "this is no webhook of this deployment; known are build, deploy"],
    [{ body: {} }, "known are build, deploy"],
  ])("[G-26] refuses %j before anything is sent", async (input, words) => {
    const { sent, send } = answering(200);
    const result = await send(input);
    expect(result).toMatchObject({ isError: true, code: "invalid_arguments" });
    expect(result.text).toContain(words);
    expect(sent).toEqual([]);
  });

  it.each(["text", null, [1], 7])("[G-25] a body must be an object, not %j", async (body) => {
    const { sent, send } = answering(200);
    expect(await send({ target: "build", body })).toMatchObject({ isError: true });
    expect(sent).toEqual([]);
  });

  it("[G-31] sends 64 KiB and refuses one byte more", async () => {
    const { sent, send } = answering(200);
    const body = (bytes: number) => ({ x: "x".repeat(bytes - 8) });
    expect(JSON.stringify(body(MAX_BODY_BYTES))).toHaveLength(65_536);
    expect((await send({ target: "build", body: body(MAX_BODY_BYTES) })).isError).toBeUndefined();
    const refused = await send({ target: "build", body: body(MAX_BODY_BYTES + 1) });
    expect(refused.text).toContain("the body has 65537 bytes; the limit is 65536");
    expect(sent).toHaveLength(1);
  });
});

describe("send_webhook: what comes back", () => {
  it.each([200, 201, 202])("[G-28] status %i is success with the reply", async (status) => {
    expect(await answering(status, "queued as 42").send({ target: "build", body: {} })).toEqual({
      text: `the build server answered with status ${status}.\nIts reply, untrusted text:\nqueued as 42`,
    });
  });

  it("[G-28] an empty reply is said to be", async () => {
    expect((await answering(204, null).send({ target: "build", body: {} })).text).toBe(
      "the build server answered with status 204.\nIts reply is empty.",
    );
  });

  it.each([400, 404, 409, 500])("[G-28] status %i is an error with the same facts", async (status) => {
    expect(await answering(status, "no").send({ target: "build", body: {} })).toEqual({
      text: `the build server answered with status ${status}.\nIts reply, untrusted text:\nno`,
      isError: true,
      code: "http_error",
    });
  });

  it.each([301, 302, 307, 308])("[G-28] a redirect (%i) is an error and not followed", async (status) => {
    const { sent, send } = world(
      () => new Response(null, { status, headers: { location: `https://elsewhere.example/${SECRET}` } }),
    );
    const result = await send({ target: "build", body: {} });
    expect(result).toMatchObject({ isError: true, code: "redirect_refused" });
    expect(result.text).toContain(`status ${status}, a redirect, which is never followed`);
    expect(sent).toHaveLength(1);
  });

  it("[G-28] gives 2,000 units of a reply and not one more", async () => {
    const fits = await answering(200, "€".repeat(MAX_REPLY_UNITS)).send({ target: "build", body: {} });
    expect(fits.text.endsWith(`\n${"€".repeat(2_000)}`)).toBe(true);
    const longer = await answering(200, "€".repeat(MAX_REPLY_UNITS + 1)).send({ target: "build", body: {} });
    expect(longer.text).toBe(fits.text);
    const endless = world(
      () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(512).fill(97)) })),
    );
    expect((await endless.send({ target: "build", body: {} })).text).toMatch(/\na{2000}$/);
  });

  it("[G-28] a reply that breaks off leaves the status known", async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error("reset")) });
    expect(await world(() => new Response(body, { status: 200 })).send({ target: "build", body: {} })).toEqual({
      text: "the build server answered with status 200.\nIts reply could not be read to the end.",
    });
  });

  it("[G-29] [G-30] a failing network is an unknown outcome, in our own words", async () => {
    const fail = () => Promise.reject(new TypeError(`connect failed for ${targets.build.url}`));
    expect(await world(fail).send({ target: "build", body: {} })).toEqual({
      text: "Outcome unknown: the connection failed before an answer came, so the build server may or may not have received the request. Check there before sending it again.",
      isError: true,
      code: "unknown_outcome",
    });
  });

  it("[G-29] 30 s without an answer are an unknown outcome", async () => {
    const clock = new AbortController();
    const asked: number[] = [];
    const timer = (ms: number) => {
      asked.push(ms);
      return clock.signal;
    };
    const sending = world(silent, { timer }).send({ target: "build", body: {} });
    clock.abort();
    const result = await sending;
    expect(result).toMatchObject({ isError: true, code: "unknown_outcome" });
    expect(result.text).toMatch(/^Outcome unknown: no answer came within 30 s, so the build server may or may not/);
    expect(asked).toEqual([30_000]);
  });

  it("[G-29] a stop under way is an unknown outcome, a stop before it sends nothing", async () => {
    const stop = new AbortController();
    const { sent, send } = world(silent);
    const sending = send({ target: "build", body: {} }, stop.signal);
    stop.abort();
    expect(await sending).toMatchObject({ isError: true, code: "unknown_outcome" });
    expect(sent).toHaveLength(1);
    expect(await send({ target: "build", body: {} }, stop.signal)).toEqual({
      text: "Stopped before anything was sent.",
      isError: true,
      code: "stopped",
    });
    expect(sent).toHaveLength(1);
  });
});

describe("send_webhook: approval", () => {
  const rule = (call: { tool: string; input: Json }) =>
    setUp(answering(200).plugin).holdRules[0]?.describe(call, { actor: "p_anna" });

  it("[G-27] is unsafe to repeat, and every call is held, naming label and host", () => {
    const { plugin } = answering(200);
    expect(toolOf(plugin, "send_webhook").replay).toBe("unsafe");
    expect(setUp(plugin).holdRules).toHaveLength(1);
    expect(rule({ tool: "send_webhook", input: { target: "build", body: {} } })).toEqual({
      text: "POST JSON to the build server",
      target: "the build server (build.example.com:8443)",
    });
    expect(rule({ tool: "send_webhook", input: { target: "deploy", body: { a: 1 } } })).toEqual({
      text: "POST JSON to the deployment",
      target: "the deployment (10.0.0.5)",
    });
  });

  it.each<Json>([null, {}, { target: "nobody" }, { target: 1 }, { target: "constructor" }, "x", []])(
    "[G-27] holds also the input %j",
    (input) => {
      expect(rule({ tool: "send_webhook", input })).toEqual({ text: "POST JSON to an unknown webhook" });
    },
  );

  it("[G-27] holds no other tool's call", () => {
    expect(rule({ tool: "calculate", input: { expression: "1" } })).toBeUndefined();
  });

  it("[G-30] no result, card, schema or version shows the address", async () => {
    const { plugin, send } = answering(500, "x");
    const tool = toolOf(plugin, "send_webhook");
    const shown = [
      await send({ target: "build", body: {} }),
      await answering(302).send({ target: "build", body: {} }),
      rule({ tool: "send_webhook", input: { target: "build", body: {} } }),
      tool.parameters,
      tool.description,
      tool.version,
    ];
    expect(JSON.stringify(shown)).not.toContain(SECRET);
  });

  it.each<[string, typeof targets]>([
    ["address", { ...targets, build: { ...targets.build, url: "https://build.example.com:8443/other" } }],
    ["label", { ...targets, deploy: { ...targets.deploy, label: "production" } }],
  ])("[G-32] another %s is another version of the tool", (_what, changed) => {
    const version = (of: typeof targets) =>
      toolOf(createWebhookPlugin({ targets: of, fetch: silent }), "send_webhook").version;
    expect(version(changed)).not.toBe(version(targets));
    expect(version({ deploy: targets.deploy, build: targets.build })).toBe(version(targets));
  });

  it.each(["ftp://build.example.com/", "file:///tmp/x", "not an address"])(
    "[G-32] refuses the target %s at start",
    (url) => {
      const wrong = { build: { url, label: "the build server" } };
      expect(() => setUp(createWebhookPlugin({ targets: wrong, fetch: silent }))).toThrow(
        "webhooks.build in althing.config.ts needs an http or https address",
      );
    },
  );
});
