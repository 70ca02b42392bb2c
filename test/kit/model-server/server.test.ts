import { describe, expect, it } from "vitest";
import { createModelServer, listen, type Vendor } from "./index.ts";
import { responsesWire } from "./wire-responses.ts";

const BODIES: Readonly<Record<Vendor, { readonly path: string; readonly body: unknown }>> = {
  anthropic: {
    path: "/v1/messages",
    body: { model: "claude-opus-5", max_tokens: 9, stream: true, messages: [{ role: "user", content: "Hi" }] },
  },
  "openai-chat": {
    path: "/v1/chat/completions",
    body: { model: "m", stream: true, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
  },
  "openai-responses": {
    path: "/v1/responses",
    body: {
      model: "m",
      stream: true,
      store: false,
      max_output_tokens: 16,
      input: [{ type: "message", role: "user", content: "Hi" }],
    },
  },
};
type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readOne(reader: Reader | undefined): Promise<{ readonly value?: Uint8Array }> {
  const read = await reader?.read();
  return read?.done === false ? { value: read.value } : {};
}

const VENDORS = Object.keys(BODIES) as Vendor[];

function post(url: string, vendor: Vendor, headers: { readonly [name: string]: string } = {}): Promise<Response> {
  const { path, body } = BODIES[vendor];
  return fetch(url + path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
}

describe.each(VENDORS)("the model server as %s", (vendor) => {
  it("[M-49] streams what was scripted, then a greeting, and records each request", async () => {
    const server = createModelServer();
    await using listening = await listen(server);
    server.reply({ text: ["Good ", "day"] });
    const first = await post(listening.url, vendor, { "x-mine": "1" });
    expect(first.headers.get("content-type")).toContain("text/event-stream");
    expect(await first.text()).toMatch(/Good .*day/s);
    expect(await (await post(listening.url, vendor)).text()).toContain("Hello.");
    expect(server.requests).toMatchObject([{ vendor, complaints: [], body: { stream: true } }, { vendor }]);
    expect(server.requests[0]?.headers.get("x-mine")).toBe("1");
    expect(server.live).toBe(0);
  });

  it("[M-50] refuses a bad request with 400 and the reason", async () => {
    const server = createModelServer();
    await using listening = await listen(server);
    const { path } = BODIES[vendor];
    const response = await fetch(listening.url + path, {
      method: "POST",
      body: JSON.stringify({ stream: true, wrong: 1 }),
    });
    expect(response.status).toBe(400);
    expect(server.requests[0]?.complaints).toContain("body.wrong: extra inputs are not permitted");
  });

  it("[M-51] refuses other keys, unknown routes, and as scripted, headers included", async () => {
    const server = createModelServer({ key: "k" });
    await using listening = await listen(server);
    const allowed = { authorization: "Bearer k" };
    expect((await post(listening.url, vendor)).status).toBe(401);
    server.reply(
      { refuse: "rate_limit", headers: { "retry-after": "9" } },
      { page: "<p>" },
      { page: "<p>", status: 502 },
    );
    const limited = await post(listening.url, vendor, allowed);
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "9"]);
    const page = await post(listening.url, vendor, allowed);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect((await post(listening.url, vendor, allowed)).status).toBe(502);
    expect((await fetch(`${listening.url}/nowhere`, { method: "POST", body: "{}" })).status).toBe(404);
  });

  it("[M-51] breaks streams as scripted", async () => {
    const server = createModelServer();
    await using listening = await listen(server);
    server.reply(
      { drop: true },
      { text: ["a"], fault: { kind: "cut", after: 2 } },
      { text: ["a"], fault: { kind: "silent_end", after: 1 } },
      { text: ["a"], fault: { kind: "error", after: 1, error: "server" } },
      { text: ["a"], fault: { kind: "garbage", after: 1 } },
    );
    await expect(post(listening.url, vendor)).rejects.toThrow("fetch failed");
    await expect(post(listening.url, vendor).then((response) => response.text())).rejects.toThrow("terminated");
    const ended = await (await post(listening.url, vendor)).text();
    expect(ended.match(/data: /g)).toHaveLength(1);
    expect(await (await post(listening.url, vendor)).text()).toContain("error");
    expect(await (await post(listening.url, vendor)).text()).toContain("{not json");
  });

  it("[M-51] stays silent, or pings, until the client leaves", async () => {
    const server = createModelServer();
    await using listening = await listen(server);
    for (const fault of [
      { kind: "idle" as const, after: 1 },
      { kind: "pings" as const, after: 1, everyMs: 5 },
    ]) {
      server.reply({ text: ["a"], fault });
      const reader: Reader | undefined = (await post(listening.url, vendor)).body?.getReader();
      await reader?.read();
      expect(server.live).toBe(1);
      if (fault.kind === "pings")
        expect(new TextDecoder().decode((await readOne(reader)).value)).toContain(": still here");
      await reader?.cancel();
      await expect.poll(() => server.live).toBe(0);
    }
  });
});

describe("the model server", () => {
  it("[M-49] numbers the events of responses as the vendor does", () => {
    const events = responsesWire.render({ text: ["a"] }, {}, 1);
    expect(events.map(({ data }) => (data as { sequence_number: number }).sequence_number)).toEqual(
      events.map((_, at) => at),
    );
  });
});
