import { OpenAI } from "openai";
import { describe, expect, it } from "vitest";
import { classifyOpenAi } from "../../../src/models/openai/errors.ts";
import { MAX_REFUSAL_BYTES, post } from "../../../src/models/openai/post.ts";
import { KEY, realClock } from "../kit.ts";

const model = { id: "m", thinking: false, images: false, maxOutputTokens: 100, contextTokens: 1000 };
const signal = new AbortController().signal;

/** What comes of a request that is answered with this, and the request. */
async function refused(response: Response) {
  let sent: Request | undefined;
  const fetch: typeof globalThis.fetch = async (...request) => {
    sent = new Request(...request);
    return response;
  };
  const target = {
    provider: "p",
    config: { kind: "openai-chat" as const, baseUrl: "http://vendor/v1/" },
    model,
    key: KEY,
  };
  const deps = { clock: realClock, fetch, loadFile: async () => new Uint8Array() };
  const thrown: unknown = await post(target, deps, "/chat/completions", { a: 1 }, signal).catch(
    (error: unknown) => error,
  );
  return { failure: classifyOpenAi(thrown, 0), sent };
}

/** An error of a vendor that is this many bytes long. */
function errorOf(bytes: number): string {
  const error = (filler: string) => JSON.stringify({ error: { code: "context_length_exceeded", message: filler } });
  return error("x".repeat(bytes - error("").length));
}

describe("a request to an OpenAI wire", () => {
  it("[M-52] reads a refusal of 64 KiB, and judges one of a byte more by its status alone", async () => {
    const whole = await refused(new Response(errorOf(MAX_REFUSAL_BYTES), { status: 400 }));
    expect(whole.failure).toMatchObject({ kind: "context_overflow", code: "context_length_exceeded" });
    const longer = await refused(new Response(errorOf(MAX_REFUSAL_BYTES + 1), { status: 400 }));
    expect(longer.failure).toEqual({ kind: "invalid_request", status: 400 });
  });

  it("[M-52] judges a refusal that is cut off, or no JSON, by its status and headers", async () => {
    const broken = new ReadableStream({
      pull(controller) {
        controller.error(new TypeError("connection lost"));
      },
    });
    const headers = { "retry-after": "7" };
    const { failure } = await refused(new Response(broken, { status: 429, headers }));
    expect(failure).toEqual({ kind: "rate_limit", status: 429, retryAfterMs: 7000 });
    const page = await refused(new Response("<html>insufficient_quota</html>", { status: 503 }));
    expect(page.failure).toEqual({ kind: "overloaded", status: 503 });
  });

  it("[M-46] sends the key as a bearer token to the path under the base address, and follows no redirect", async () => {
    const { sent, failure } = await refused(Response.redirect("http://elsewhere/", 307));
    expect(sent?.url).toBe("http://vendor/v1/chat/completions");
    expect(sent?.redirect).toBe("manual");
    expect(sent?.headers.get("authorization")).toBe(`Bearer ${KEY}`);
    expect(await sent?.json()).toEqual({ a: 1 });
    expect(failure.kind).toBe("protocol");
  });

  it("[M-48] arrives as the vendor's own SDK would have sent it", async () => {
    const body = { model: "m", stream: true, messages: [{ role: "user", content: "\u2028 ä" }] };
    const heard: Request[] = [];
    const fetch: typeof globalThis.fetch = async (...request) => {
      heard.push(new Request(...request));
      return new Response("");
    };
    const target = {
      provider: "p",
      config: { kind: "openai-chat" as const, baseUrl: "http://vendor/v1" },
      model,
      key: KEY,
    };
    await post(
      target,
      { clock: realClock, fetch, loadFile: async () => new Uint8Array() },
      "/chat/completions",
      body,
      signal,
    );
    const sdk = new OpenAI({ apiKey: KEY, baseURL: "http://vendor/v1", fetch, fetchOptions: { redirect: "manual" } });
    await sdk.post("/chat/completions", { body, stream: true, signal }).asResponse();
    const read = async (request: Request | undefined) => ({
      method: request?.method,
      url: request?.url,
      redirect: request?.redirect,
      type: request?.headers.get("content-type"),
      authorization: request?.headers.get("authorization"),
      body: await request?.text(),
    });
    expect(await read(heard[0])).toEqual(await read(heard[1]));
  });
});
