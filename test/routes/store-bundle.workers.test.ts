import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { MAX_BUNDLE_BYTES, MAX_BUNDLE_LINE_BYTES } from "../../src/protocol/bundle.ts";
import { storeBundle } from "../../src/routes/transfer/store-bundle.ts";
import { bundleLines, bundleText, saidEntry } from "../kit/bundle.ts";
import { LOCAL, makeEdge } from "../kit/edge.ts";

const places = { bundle: "imports/p/u", index: "imports/p/u.index" };

async function* inChunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function store(text: string, { size = 1_000, length = new TextEncoder().encode(text).length } = {}) {
  return await storeBundle(env.FILES, places, inChunks(text, size), length);
}

const keys = async () => (await env.FILES.list({ prefix: "imports/" })).objects.map(({ key }) => key);
const good = bundleText(bundleLines([saidEntry(1, "Grüße"), saidEntry(2, "x")]));

describe("storing a bundle", () => {
  it("[V-112] keeps it as it came, however it was cut on its way, with an index beside it", async () => {
    for (const size of [1, 7, 100_000]) {
      const { through } = await store(good, { size });
      expect(through).toBe(2);
      expect(await (await env.FILES.get(places.bundle))?.text()).toBe(good);
      expect(await keys()).toEqual([places.bundle, places.index]);
      await env.FILES.delete([places.bundle, places.index]);
    }
  });

  it("[V-114] keeps nothing of what is not good, or not as long as declared", async () => {
    await expect(store(good.replace("Grüße", "Grüsse"))).rejects.toThrow(
      "line 4: the lines before are not what its sha256 says",
    );
    await expect(store(good, { length: good.length + 50 })).rejects.toThrow("instead of");
    await expect(store(good, { length: 20 })).rejects.toThrow("more than the 20 bytes declared");
    expect(await keys()).toEqual([]);
  });

  it("[V-114] takes a line of 2 MiB, and refuses one more without waiting for its end", async () => {
    const blank = JSON.stringify({ entry: saidEntry(2, "") }).length + 1;
    const lineOf = (bytes: number) =>
      bundleText(bundleLines([saidEntry(1, "x"), saidEntry(2, "y".repeat(bytes - blank))]));
    await store(lineOf(MAX_BUNDLE_LINE_BYTES), { size: 60_000 });
    await env.FILES.delete([places.bundle, places.index]);
    await expect(store(lineOf(MAX_BUNDLE_LINE_BYTES + 1), { size: 60_000 })).rejects.toThrow(
      "line 3: it has more than 2097152 bytes",
    );
    expect(await keys()).toEqual([]);
  });

  it("[V-114] a body has its length declared, at most 95 MiB", async () => {
    const edge = makeEdge(env);
    const visitor = await edge.visitor();
    const url = `${LOCAL}/api/v1/conversations/import?id=${crypto.randomUUID()}`;
    const send = async (length: string) =>
      (await edge.fetch(url, { method: "POST", as: visitor, body: "x", headers: { "content-length": length } })).status;
    expect(await send(String(MAX_BUNDLE_BYTES + 1))).toBe(413);
    expect(await send(String(MAX_BUNDLE_BYTES))).toBe(400);
    expect(await send("many")).toBe(400);
  });

  it("[V-115] sweeps one's own uploads that became nothing, a day after", async () => {
    const edge = makeEdge(env);
    const visitor = await edge.visitor();
    const mine = `imports/${visitor.caller.principalId}/old`;
    await env.FILES.put(mine, "x");
    await env.FILES.put("imports/p_other/old", "x");
    const url = () => `${LOCAL}/api/v1/conversations/import?id=${crypto.randomUUID()}`;
    const send = () =>
      edge.fetch(url(), { method: "POST", as: visitor, body: "{", headers: { "content-length": "1" } });
    edge.clock.time = Date.now() + 23 * 3_600_000;
    await send();
    expect(await keys()).toContain(mine);
    edge.clock.time = Date.now() + 25 * 3_600_000;
    await send();
    expect(await keys()).toEqual(["imports/p_other/old"]);
    await env.FILES.delete("imports/p_other/old");
  });
});
