import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { bundleKey, importOrigin, indexKey } from "../../src/objects/transfer/bundle-place.ts";
import type { Caller } from "../../src/people/facts.ts";
import { storeBundle } from "../../src/routes/transfer/store-bundle.ts";
import { bundleLines, bundleText, saidEntry } from "../kit/bundle.ts";
import { Stage } from "../kit/stage.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

const TEXT = bundleText(bundleLines([saidEntry(1, "Hello"), saidEntry(2, "there")]));

async function uploaded({ principalId }: Caller, upload: string) {
  const places = { bundle: bundleKey(principalId, upload), index: indexKey(principalId, upload) };
  const bytes = new TextEncoder().encode(TEXT);
  const source = new Response(bytes).body as ReadableStream<Uint8Array>;
  const { sha256, through } = await storeBundle(env.FILES, places, source, bytes.length);
  return importOrigin(sha256, upload, through);
}

const uploadsOf = async ({ principalId }: Caller) =>
  (await env.FILES.list({ prefix: `imports/${principalId}/` })).objects.map(({ key }) => key);

describe("an import", () => {
  it("[V-115] [V-113] takes its upload away when it is done; another upload of the same is the same", async () => {
    const anna = await newPerson();
    const stage = new Stage();
    const talk = (await Talk.begin(new Stage(), anna)).at(stage);
    const origin = await uploaded(anna, "one");
    expect(await talk.rpc.importFrom(anna, stage.key, origin)).toEqual({ ok: true, value: { created: true } });
    await until(async () => (await uploadsOf(anna)).length === 0, "the upload to go");
    await talk.idle();
    expect((await talk.snapshot()).view.entries.map(({ kind }) => kind)).toEqual([
      "core.user",
      "core.user",
      "core.fork",
    ]);
    const again = await uploaded(anna, "two");
    expect(await talk.rpc.importFrom(anna, stage.key, again)).toEqual({ ok: true, value: { created: false } });
  });

  it("[V-113] [V-112] is only for whom it is of: somebody else finds nothing under its id", async () => {
    const anna = await newPerson();
    const eve = await newPerson();
    const stage = new Stage();
    const talk = (await Talk.begin(new Stage(), anna)).at(stage);
    await talk.rpc.importFrom(anna, stage.key, await uploaded(anna, "one"));
    const answer = await talk.rpc.importFrom(eve, stage.key, await uploaded(eve, "one"));
    expect(answer).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await talk.rpc.exportPlace(eve)).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await talk.rpc.exportRows(eve, [[1, 9]], 0)).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  it("[L-178] one whose file is gone says so, and speaks of a file", async () => {
    const anna = await newPerson();
    const stage = new Stage();
    const talk = (await Talk.begin(new Stage(), anna)).at(stage);
    const origin = await uploaded(anna, "one");
    await env.FILES.delete([bundleKey(anna.principalId, "one"), indexKey(anna.principalId, "one")]);
    await talk.rpc.importFrom(anna, stage.key, origin);
    await until(async () => (await talk.snapshot()).view.entries.length > 0, "the notice");
    const [[kind, text] = []] = await talk.transcript();
    expect(kind).toBe("notice");
    expect(text).toMatch(
      /^\[System\] This conversation is an import that ended early: .*\. Later messages of the file are/,
    );
    expect(text).not.toContain("fork");
  });

  it("[V-110] a member exports a shared conversation, and its members stand in the bundle", async () => {
    const { owner, others } = await Talk.room(new Stage(), ["Mia"]);
    const [mia] = others;
    const place = await owner.rpc.exportPlace(mia?.caller ?? owner.caller);
    const members = [owner.caller.principalId, mia?.caller.principalId];
    expect(place).toMatchObject({ ok: true, value: { head: { visibility: "shared", members } } });
  });
});
