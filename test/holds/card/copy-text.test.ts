import { describe, expect, it } from "vitest";
import { renderCard } from "../../../src/holds/card/card.ts";
import { utf8Bytes } from "../../../src/lib/bytes.ts";
import { HELD, HoldWorld } from "../../kit/hold-world.ts";
import { makeHold } from "../make.ts";

const withCopy = (copy: string) => {
  const holds = new HoldWorld();
  holds.describe = () => ({ ...HELD, copy });
  return holds;
};

describe("text to copy", () => {
  it("[H-76] stands on the card, escaped but for its line breaks, and decides nothing", async () => {
    const holds = withCopy("ssh build\n\tmake \u202erelease");
    await holds.toCard();
    expect(holds.card.copy).toEqual({ text: "ssh build\n\\tmake \\u{202e}release" });
    await holds.press("approve");
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-76] survives a restart, and belongs to what was shown, not to what an approval is bound to", async () => {
    const holds = withCopy("one");
    const card = await holds.toCard();
    await holds.restart();
    await holds.settle();
    expect(holds.card).toEqual(card);
    const other = withCopy("two");
    const otherCard = await other.toCard();
    expect(otherCard.digest).toBe(card.digest);
    expect(other.audit[0]?.shown).not.toBe(holds.audit[0]?.shown);
  });

  it("[H-76] of an edited call is that of its own description", async () => {
    const holds = new HoldWorld();
    holds.describe = ({ input }) => ({ ...HELD, copy: `ref ${(input as { ref: string }).ref}` });
    await holds.toCard();
    holds.beforeEffect = () => new Promise(() => undefined);
    await holds.press("approve", { input: { ref: "release" } });
    await holds.settle();
    expect(holds.card.copy).toEqual({ text: "ref release" });
  });

  it.each([
    [4_000, { text: "c".repeat(4_000) }],
    [4_001, undefined],
  ])("[H-76] of %i units", async (units, shown) => {
    const holds = withCopy("c".repeat(units));
    await holds.toCard();
    expect(holds.card.copy).toEqual(shown);
    if (shown === undefined) expect(holds.card.action).toBe("run send");
  });

  it("[H-76] that takes more room says that it is cut, and the card stays within 16 KiB", () => {
    const record = { ...makeHold(), edit: { entry: 1, by: { principalId: "p", name: "😀".repeat(32) } } };
    const input = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`a${n}`, "я".repeat(2_000)]));
    const card = renderCard(record, {
      tool: "send",
      input,
      proposed: { b: "я".repeat(9_000) },
      copy: "я".repeat(4_000),
    });
    expect(card.copy?.cut).toBe(true);
    expect(card.copy?.text).toContain("\\cut(4000 units");
    expect(utf8Bytes(JSON.stringify(card))).toBeLessThanOrEqual(16 * 1024);
  });
});
