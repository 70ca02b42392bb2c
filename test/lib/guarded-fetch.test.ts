import { describe, expect, it } from "vitest";
import {
  type GuardedFetchPorts,
  type GuardedRequest,
  guardedFetch,
  type Lookup,
  MAX_REDIRECTS,
} from "../../src/lib/guarded-fetch.ts";
import { err } from "../../src/lib/result.ts";
import { fakeNames, fakeWeb, html, redirectTo } from "./kit/fake-web.ts";
import { HOSTILE_URLS } from "./kit/hostile-urls.ts";

const never = new AbortController().signal;

/** What fits into a header; an unparsable one would be relative to the page. */
const HOSTILE_LOCATIONS = HOSTILE_URLS.filter((url) => URL.canParse(url) && /^[\t -~]+$/.test(url));

function request(url: string, changes: Partial<GuardedRequest> = {}): GuardedRequest {
  return {
    url,
    maxBytes: 1_000,
    timeoutMs: 15_000,
    accepts: (type) => type === "text/html",
    acceptedWords: "HTML pages",
    accept: "text/html",
    signal: never,
    ...changes,
  };
}

function ports(web: Pick<GuardedFetchPorts, "fetch">, changes: Partial<GuardedFetchPorts> = {}): GuardedFetchPorts {
  return { fetch: web.fetch, lookup: fakeNames(), timer: () => never, ...changes };
}

function chain(length: number): Record<string, Response> {
  const hops = Array.from({ length }, (_, i): [string, Response] => [
    `https://h${i}.example.com/`,
    redirectTo(`https://h${i + 1}.example.com/`),
  ]);
  return { ...Object.fromEntries<Response>(hops), [`https://h${length}.example.com/`]: html("arrived") };
}

describe("guardedFetch: addresses", () => {
  it.each(HOSTILE_URLS)("[G-14] [S17] sends nothing for %s", async (url) => {
    const web = fakeWeb({});
    const result = await guardedFetch(ports(web), request(url));
    expect(result).toMatchObject({ ok: false, error: { code: "refused_address" } });
    expect(web.sent).toEqual([]);
  });

  it.each(HOSTILE_LOCATIONS)("[G-16] [S17] does not follow a redirect to %s", async (url) => {
    const web = fakeWeb({ "https://example.com/": redirectTo(url) });
    const result = await guardedFetch(ports(web), request("https://example.com/"));
    expect(result).toMatchObject({ ok: false, error: { code: "refused_address" } });
    expect(web.sent).toHaveLength(1);
  });

  it.each([
    ["a private address", ["10.0.0.1"]],
    ["a private address beside a public one", ["93.184.216.34", "127.0.0.1"]],
    ["a private IPv6 address", ["93.184.216.34", "::1"]],
    ["a mapped address", ["::ffff:169.254.169.254"]],
  ])("[G-15] sends nothing to a name with %s", async (_what, addresses) => {
    const web = fakeWeb({ "https://rebind.com/": html("secret") });
    const result = await guardedFetch(
      ports(web, { lookup: fakeNames({ "rebind.com": addresses }) }),
      request("https://rebind.com/"),
    );
    expect(result).toEqual({
      ok: false,
      error: { code: "refused_address", text: "The host rebind.com leads into a private network." },
    });
    expect(web.sent).toEqual([]);
  });

  it("[G-15] looks a name up again at each hop", async () => {
    const answers = [["93.184.216.34"], ["192.168.0.1"]];
    const asked: string[] = [];
    const lookup: Lookup = async (host) => {
      asked.push(host);
      return { ok: true, value: answers.shift() ?? [] };
    };
    const web = fakeWeb({ "https://rebind.com/": redirectTo("/again"), "https://rebind.com/again": html("secret") });
    const result = await guardedFetch(ports(web, { lookup }), request("https://rebind.com/"));
    expect(result).toMatchObject({ ok: false, error: { code: "refused_address" } });
    expect(asked).toEqual(["rebind.com", "rebind.com"]);
    expect(web.sent).toHaveLength(1);
  });

  it.each<[string, Lookup, string]>([
    ["has no address", async () => ({ ok: true, value: [] }), "The host example.com does not exist."],
    ["cannot be asked for", async () => err("no answer"), "The host example.com could not be looked up: no answer."],
  ])("[G-15] a name that %s is not requested", async (_what, lookup, text) => {
    const web = fakeWeb({ "https://example.com/": html("x") });
    const result = await guardedFetch(ports(web, { lookup }), request("https://example.com/"));
    expect(result).toEqual({ ok: false, error: { code: "lookup_failed", text } });
    expect(web.sent).toEqual([]);
  });

  it("[G-15] a look-up that fails stops the read", async () => {
    const web = fakeWeb({ "https://example.com/": html("x") });
    const lookup = () => Promise.reject(new Error("offline"));
    expect(await guardedFetch(ports(web, { lookup }), request("https://example.com/"))).toMatchObject({ ok: false });
    expect(web.sent).toEqual([]);
  });
});

describe("guardedFetch: redirects", () => {
  it("[G-16] follows 5 redirects and refuses the sixth", async () => {
    const fits = await guardedFetch(ports(fakeWeb(chain(MAX_REDIRECTS))), request("https://h0.example.com/"));
    expect(fits).toMatchObject({ ok: true, value: { redirects: 5, url: new URL("https://h5.example.com/") } });
    const web = fakeWeb(chain(MAX_REDIRECTS + 1));
    const refused = await guardedFetch(ports(web), request("https://h0.example.com/"));
    expect(refused).toEqual({
      ok: false,
      error: { code: "too_many_redirects", text: "h0.example.com redirects more than 5 times." },
    });
    expect(web.sent).toHaveLength(6);
  });

  it.each([301, 302, 303, 307, 308])(
    "[G-16] status %i is followed, relative to its page, always by GET",
    async (status) => {
      const web = fakeWeb({
        "https://example.com/a/b": redirectTo("../c?d", status),
        "https://example.com/c?d": html("c"),
      });
      const result = await guardedFetch(ports(web), request("https://example.com/a/b"));
      expect(result).toMatchObject({ ok: true, value: { redirects: 1, url: new URL("https://example.com/c?d") } });
      expect(web.sent.map(({ method, redirect }) => [method, redirect])).toEqual([
        ["GET", "manual"],
        ["GET", "manual"],
      ]);
    },
  );

  it("[G-16] a redirect status without a place to go is an error", async () => {
    const web = fakeWeb({ "https://example.com/": new Response(null, { status: 302 }) });
    expect(await guardedFetch(ports(web), request("https://example.com/"))).toMatchObject({
      ok: false,
      error: { code: "http_error", text: "example.com answered with status 302." },
    });
  });

  it("[G-17] every hop gets the same two headers and nothing else", async () => {
    const web = fakeWeb(chain(3));
    await guardedFetch(ports(web), request("https://h0.example.com/"));
    expect(web.sent).toHaveLength(4);
    for (const { headers } of web.sent) expect(headers).toEqual({ accept: "text/html", "user-agent": "Althing" });
  });
});

describe("guardedFetch: what is read", () => {
  const get = (response: Response, changes: Partial<GuardedRequest> = {}) =>
    guardedFetch(ports(fakeWeb({ "https://example.com/": response })), request("https://example.com/", changes));

  it("[G-18] reads a body of exactly the limit whole and cuts one byte more", async () => {
    const fits = await get(html("x".repeat(1_000)));
    expect(fits).toMatchObject({ ok: true, value: { cut: false } });
    expect(fits.ok && fits.value.bytes.byteLength).toBe(1_000);
    const longer = await get(html("x".repeat(1_001)));
    expect(longer).toMatchObject({ ok: true, value: { cut: true } });
    expect(longer.ok && longer.value.bytes.byteLength).toBe(1_000);
  });

  it("[G-18] stops an endless body at the limit, whatever length it claims", async () => {
    let pulls = 0;
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls++;
        controller.enqueue(new Uint8Array(64));
      },
      cancel() {
        cancelled = true;
      },
    });
    const response = new Response(body, { headers: { "content-type": "text/html", "content-length": "10" } });
    const web = { fetch: async () => response };
    const result = await guardedFetch(ports(web), request("https://example.com/"));
    expect(result).toMatchObject({ ok: true, value: { cut: true } });
    expect(cancelled).toBe(true);
    expect(pulls).toBeLessThan(20);
  });

  it("[G-18] a body that is missing is empty", async () => {
    const response = new Response(null, { headers: { "content-type": "text/html" } });
    expect(await get(response)).toMatchObject({ ok: true, value: { bytes: new Uint8Array(), cut: false } });
  });

  it.each([201, 204])("[G-20] status %i is success", async (status) => {
    const response = new Response(status === 204 ? null : "x", { status, headers: { "content-type": "text/html" } });
    expect((await get(response)).ok).toBe(true);
  });

  it.each([400, 401, 404, 418, 429, 500, 503])("[G-20] status %i is an error that names it", async (status) => {
    expect(await get(new Response("x", { status }))).toEqual({
      ok: false,
      error: { code: "http_error", text: `example.com answered with status ${status}.` },
    });
  });

  it.each([
    ["image/png", "the type image/png"],
    ["application/octet-stream", "the type application/octet-stream"],
    ["TEXT/CSS; charset=utf-8", "the type text/css"],
  ])("[G-20] %s is an error that names it", async (type, named) => {
    expect(await get(html("x", { "content-type": type }))).toEqual({
      ok: false,
      error: { code: "unsupported_type", text: `example.com sent ${named}; only HTML pages are read.` },
    });
  });

  it("[G-20] no type at all is an error", async () => {
    const response = new Response(new Uint8Array([1]));
    expect(await get(response)).toMatchObject({ ok: false, error: { code: "unsupported_type" } });
    expect(JSON.stringify(await get(response))).toContain("example.com sent no type");
  });

  it("[G-20] a failed connection is an error without the runtime's words", async () => {
    const result = await guardedFetch(ports(fakeWeb({})), request("https://example.com/p4th"));
    expect(result).toEqual({
      ok: false,
      error: { code: "network", text: "example.com could not be reached, or the connection broke." },
    });
  });
});

describe("guardedFetch: time", () => {
  const silent = () => new Promise<never>(() => undefined);
  const stuckBody = () =>
    new Response(new ReadableStream({ pull: silent }), { headers: { "content-type": "text/html" } });
  const stages: ReadonlyArray<[string, Partial<GuardedFetchPorts>]> = [
    ["the look-up", { lookup: silent }],
    ["the connection", { fetch: silent }],
    ["the body", { fetch: async () => stuckBody() }],
  ];

  it.each(stages)("[G-19] ends when the time is over while %s hangs", async (_stage, stuck) => {
    const clock = new AbortController();
    const asked: number[] = [];
    const timer = (ms: number) => {
      asked.push(ms);
      return clock.signal;
    };
    const reading = guardedFetch(ports(fakeWeb({}), { ...stuck, timer }), request("https://example.com/"));
    setTimeout(() => clock.abort(), 5);
    expect(await reading).toEqual({
      ok: false,
      error: { code: "timeout", text: "The page was not read within 15 s." },
    });
    expect(asked).toEqual([15_000]);
  });

  it.each(stages)("[G-19] ends at once on stop while %s hangs", async (_stage, stuck) => {
    const stop = new AbortController();
    const reading = guardedFetch(ports(fakeWeb({}), stuck), request("https://example.com/", { signal: stop.signal }));
    setTimeout(() => stop.abort(), 5);
    expect(await reading).toMatchObject({ ok: false, error: { code: "stopped" } });
  });

  it("[G-19] sends nothing after a stop", async () => {
    const web = fakeWeb({ "https://example.com/": html("x") });
    const result = await guardedFetch(ports(web), request("https://example.com/", { signal: AbortSignal.abort() }));
    expect(result).toMatchObject({ ok: false, error: { code: "stopped" } });
    expect(web.sent).toEqual([]);
  });
});
