import { servicePair, stopOf, testPlugin } from "althing/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { definePlugin, serviceKey } from "../../src/host/index.ts";
import { defineTool } from "../../src/kernel/index.ts";
import type { Database } from "../../src/store/database.ts";

const SIZE = serviceKey<number>("size", { absent: "Add the plugin sizes." });

/** A plugin that wants everything that a test can give. */
const wanting = definePlugin({
  name: "wanting",
  requires: [SIZE],
  setup({ services, secret, fetch, config, log, providers }) {
    const tell = defineTool({
      name: "tell",
      description: "Tells.",
      input: z.strictObject({ what: z.enum(["size", "secret", "net", "zone", "images"]) }),
      async execute({ what }) {
        const found = {
          size: () => String(services.get(SIZE)),
          secret: () => secret("KEY") ?? "none",
          net: async () => (await fetch("https://example.com/")).text(),
          zone: () => config.timeZone,
          images: () => providers.filled("images")?.by ?? "nobody",
        };
        return { text: await found[what]() };
      },
    });
    return {
      tools: [{ tool: tell, tier: "admin" }],
      holdRules: [({ input }) => (JSON.stringify(input).includes("secret") ? { text: "Tell a secret" } : undefined)],
      events: { turnEnded: ({ outcome }) => log("ended", { outcome }) },
    };
  },
  preflight: ({ database }) => void database(),
});

const given = { services: [servicePair(SIZE, 3)] };

describe("testPlugin", () => {
  it("[X-48] stops as a start does", () => {
    expect(stopOf(() => testPlugin(wanting))).toEqual({
      code: "service_absent",
      message: "Plugin wanting needs the service size, which no plugin provides. Add the plugin sizes.",
    });
  });

  it("[X-48] gives what the test gives, and nothing else", async () => {
    const bare = testPlugin(wanting, given);
    const all = testPlugin(wanting, {
      ...given,
      secrets: { KEY: "k" },
      fetch: () => Promise.resolve(new Response("a page")),
      config: { timeZone: "Europe/Berlin" },
      providers: { images: { draw: () => Promise.reject(new Error("no")) } },
      database: {} as Database,
    });
    const tell = async (what: string) => [
      (await bare.runTool("tell", { what })).text,
      (await all.runTool("tell", { what })).text,
    ];
    expect(await tell("size")).toEqual(["3", "3"]);
    expect(await tell("secret")).toEqual(["none", "k"]);
    expect(await tell("zone")).toEqual(["UTC", "Europe/Berlin"]);
    expect(await tell("images")).toEqual(["nobody", "default"]);
    const [none, page] = await tell("net");
    expect([none, page]).toEqual([expect.stringContaining("there is no network here"), "a page"]);
    await expect(bare.preflight()).rejects.toThrow("give one as options.database");
    await expect(all.preflight()).resolves.toBeUndefined();
  });

  it("[X-48] runs tools by the real kernel, asks rules, tells events, shows tiers", async () => {
    const lines: string[] = [];
    const plugin = testPlugin(wanting, { ...given, log: (event, facts) => lines.push(`${event} ${facts["outcome"]}`) });
    expect(plugin.tiers).toEqual({ tell: "admin" });
    expect(await plugin.runTool("tell", { what: "colour" })).toMatchObject({ isError: true });
    await expect(plugin.runTool("toll", {})).rejects.toThrow("no tool toll");
    expect(await plugin.holds("tell", { what: "secret" })).toEqual({ text: "Tell a secret" });
    expect(await plugin.holds("tell", { what: "size" })).toBeUndefined();
    plugin.tell([{ name: "turnEnded", event: { conversation: "web:1", outcome: "answered" } }]);
    expect(lines).toEqual(["ended answered"]);
  });
});
