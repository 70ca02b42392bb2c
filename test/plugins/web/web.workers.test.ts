import { describe, expect, it } from "vitest";
import { checkPublicUrl } from "../../../src/lib/guarded-url.ts";
import { createWebPlugin } from "../../../src/plugins/web/plugin.ts";
import { fakeNames, fakeWeb, html, redirectTo } from "../../lib/kit/fake-web.ts";
import { HOSTILE_URLS, PUBLIC_URLS } from "../../lib/kit/hostile-urls.ts";
import { run, toolOf, toolWorld } from "../kit/tool-context.ts";

const tool = (pages: Record<string, Response | (() => Response)>, names: Record<string, readonly string[]> = {}) => {
  const web = fakeWeb(pages);
  const plugin = createWebPlugin({ fetch: web.fetch, lookup: fakeNames(names) });
  return { web, fetchPage: toolOf(plugin, "fetch_page") };
};

describe("fetch_page inside workerd", () => {
  it("[G-14] [S17] its URL parser sees through the same spellings", () => {
    expect(HOSTILE_URLS.filter((url) => checkPublicUrl(url).ok)).toEqual([]);
    expect(PUBLIC_URLS.filter((url) => !checkPublicUrl(url).ok)).toEqual([]);
  });

  it("[G-16] [G-21] follows a chain over hosts and reads HTML at its end", async () => {
    const { web, fetchPage } = tool({
      "https://example.com/": redirectTo("//www.example.com/a", 301),
      "https://www.example.com/a": redirectTo("../b?c", 307),
      "https://www.example.com/b?c": html("<title>T</title><h1>Caf&eacute;</h1><ul><li>x<li>y</ul>"),
    });
    const result = await run(fetchPage, { url: "https://example.com/" }, toolWorld().context());
    expect(result.isError).toBeUndefined();
    expect(result.text).toContain("after 2 redirects");
    expect(result.text).toContain("Title: T\n\n# Café\n\n- x\n- y\n");
    expect(web.sent).toHaveLength(3);
    for (const { headers } of web.sent) expect(Object.keys(headers)).toEqual(["accept", "user-agent"]);
  });

  it("[G-16] stops a chain that turns inside", async () => {
    const { web, fetchPage } = tool(
      {
        "https://example.com/": redirectTo("https://inner.example.org/"),
        "https://example.com/ip": redirectTo("http://0x7f.1/"),
        "https://inner.example.org/": html("secret"),
      },
      { "inner.example.org": ["::ffff:127.0.0.1"] },
    );
    for (const url of ["https://example.com/", "https://example.com/ip"]) {
      const result = await run(fetchPage, { url }, toolWorld().context());
      expect(result).toMatchObject({ isError: true, code: "refused_address" });
    }
    expect(web.sent.map(({ url }) => url)).toEqual(["https://example.com/", "https://example.com/ip"]);
  });

  it("[G-18] stops an endless body at 2 MiB", async () => {
    const chunk = new TextEncoder().encode("a ".repeat(32 * 1024));
    let pulls = 0;
    const endless = () =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull(controller) {
            pulls++;
            controller.enqueue(chunk);
          },
        }),
        { headers: { "content-type": "text/plain" } },
      );
    const { fetchPage } = tool({ "https://example.com/": endless });
    const result = await run(fetchPage, { url: "https://example.com/" }, toolWorld().context());
    expect(result.text).toContain("The page is longer; the rest was left out.");
    expect(pulls).toBeLessThan(40);
  });

  it("[G-19] a body that hangs ends with the time", async () => {
    const stuck = () =>
      new Response(new ReadableStream<Uint8Array>({ pull: () => new Promise<void>(() => undefined) }), {
        headers: { "content-type": "text/plain" },
      });
    const web = fakeWeb({ "https://example.com/": stuck });
    const plugin = createWebPlugin({ fetch: web.fetch, lookup: fakeNames(), timer: () => AbortSignal.timeout(20) });
    const result = await run(toolOf(plugin, "fetch_page"), { url: "https://example.com/" }, toolWorld().context());
    expect(result).toMatchObject({ isError: true, code: "timeout" });
  });

  it.each(["windows-1252", "shift_jis", "no-such-set"])(
    "[G-23] knows or survives the character set %s",
    async (charset) => {
      const response = new Response(new Uint8Array([0x61, 0x62]), {
        headers: { "content-type": `text/plain; charset=${charset}` },
      });
      const { fetchPage } = tool({ "https://example.com/": response });
      expect((await run(fetchPage, { url: "https://example.com/" }, toolWorld().context())).text).toContain("\nab\n");
    },
  );
});
