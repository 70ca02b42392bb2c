import { describe, expect, it } from "vitest";
import { MAX_HELD_FILE_BYTES } from "../../../src/holds/bound/held-files.ts";
import { renderCard } from "../../../src/holds/card/card.ts";
import { utf8Bytes } from "../../../src/lib/bytes.ts";
import { HELD, HoldWorld } from "../../kit/hold-world.ts";
import { makeHold } from "../make.ts";

const sha = (digit: string) => digit.repeat(64);
const PLAN = { name: "plan.pdf", bytes: 2_048, sha256: sha("a") };
const withFiles = (files: readonly string[] = ["f1"]) => {
  const holds = new HoldWorld();
  holds.describe = () => ({ ...HELD, files });
  holds.files.set("f1", PLAN);
  return holds;
};

async function refused(holds: HoldWorld): Promise<string | undefined> {
  holds.world.start().resume();
  holds.say("go");
  await holds.world.run();
  expect(holds.opened).toEqual([]);
  expect(holds.results).toMatchObject([{ outcome: "blocked", code: "unfit_files" }]);
  return holds.results[0]?.text;
}

describe("files that a held call names", () => {
  it("[H-80] stand on the card by name, size and the start of their digest, also after a restart", async () => {
    const holds = withFiles(["f1", "f2", "f1"]);
    holds.files.set("f2", { name: "a\u202efdp.exe", bytes: 1, sha256: sha("b") });
    const card = await holds.toCard();
    expect(card.files).toEqual([
      { id: "f1", name: "plan.pdf", bytes: 2_048, sha256: "a".repeat(16) },
      { id: "f2", name: "a\\u{202e}fdp.exe", bytes: 1, sha256: "b".repeat(16) },
    ]);
    await holds.restart();
    await holds.settle();
    expect(holds.card).toEqual(card);
    await holds.press("approve");
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-80] are part of what an approval is bound to", async () => {
    const [one, other, none] = [withFiles(), withFiles(), withFiles([])];
    other.files.set("f1", { ...PLAN, sha256: sha("b") });
    const digests = await Promise.all([one, other, none].map(async (holds) => (await holds.toCard()).digest));
    expect(new Set(digests).size).toBe(3);
  });

  it.each([
    [16, "POST JSON to the build server"],
    [17, "run send"],
  ])("[H-80] %i of them", async (count, action) => {
    const ids = Array.from({ length: count }, (_, n) => `f${n}`);
    const holds = withFiles(ids);
    for (const id of ids) holds.files.set(id, { ...PLAN, name: "n".repeat(255) });
    const card = await holds.toCard();
    expect(card.action).toBe(action);
    expect(card.files?.length).toBe(count === 16 ? 16 : undefined);
  });

  it("[H-80] leave a card within 16 KiB, whatever else stands on it", () => {
    const record = { ...makeHold(), edit: { entry: 1, by: { principalId: "p", name: "😀".repeat(32) } } };
    const input = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`a${n}`, "я".repeat(2_000)]));
    const files = Array.from({ length: 16 }, (_, n) => ({
      ...PLAN,
      id: `0${n}`.padStart(26, "0"),
      name: "я".repeat(255),
    }));
    const call = { tool: "send", input, proposed: { b: "я".repeat(9_000) }, copy: "я".repeat(4_000), files };
    expect(utf8Bytes(JSON.stringify(renderCard(record, call)))).toBeLessThanOrEqual(16 * 1024);
  });

  it("[H-81] that are not there, or larger than 10 MiB, are refused without a card, by id and limit", async () => {
    expect(await refused(withFiles(["gone"]))).toContain(
      "The file gone that this call names is not in this conversation.",
    );
    const large = withFiles();
    large.files.set("f1", { ...PLAN, bytes: MAX_HELD_FILE_BYTES + 1 });
    expect(await refused(large)).toContain("larger than 10485760 bytes");
    const fits = withFiles();
    fits.files.set("f1", { ...PLAN, bytes: MAX_HELD_FILE_BYTES });
    await fits.toCard();
  });

  it("[H-81] a store that is away decides nothing: the card stays, and an approved call waits for it", async () => {
    const holds = withFiles();
    await holds.toCard();
    holds.isFileStoreAway = true;
    await expect(holds.press("approve")).rejects.toThrow("store of files");
    expect(holds.card.status).toBe("open");
    holds.isFileStoreAway = false;
    await holds.press("approve");
    holds.isFileStoreAway = true;
    await holds.world.run(() => false, holds.world.clock.now() + 60_000);
    expect(holds.totalEffects).toBe(0);
    holds.isFileStoreAway = false;
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-81] an edit is asked about its own files", async () => {
    const holds = withFiles();
    holds.describe = ({ input }) => ({ ...HELD, files: [(input as { ref: string }).ref === "main" ? "f1" : "gone"] });
    await holds.toCard();
    expect(await holds.press("approve", { input: { ref: "release" } })).toMatchObject({
      ok: false,
      error: { code: "bad_request", message: expect.stringContaining("gone") },
    });
    expect(holds.card.status).toBe("open");
    holds.files.set("gone", { ...PLAN, name: "back.pdf" });
    holds.beforeEffect = () => new Promise(() => undefined);
    expect(await holds.press("approve", { input: { ref: "release" } })).toEqual({ ok: true, value: {} });
    await holds.settle();
    expect(holds.card.files).toMatchObject([{ name: "back.pdf" }]);
  });

  it("[H-121] are never allowed in advance", async () => {
    const holds = withFiles();
    await holds.toCard();
    const answer = await holds.press("approve", { always: { any: [], hours: 1 } });
    expect(answer).toMatchObject({ ok: false, error: { message: expect.stringContaining("asked about each time") } });
    expect(holds.card.status).toBe("open");
  });
});
