import { describe, expect, it } from "vitest";
import { GRACE_MS } from "../../../src/holds/record/deadline.ts";
import { HOUR, HoldWorld } from "../../kit/hold-world.ts";

async function waiting(visibility: HoldWorld["visibility"]) {
  const holds = new HoldWorld();
  holds.visibility = visibility;
  const card = await holds.toCard();
  await holds.settle();
  return { holds, card };
}

const pass = async (holds: HoldWorld, ms: number) => {
  await holds.world.pass(ms);
  await holds.settle();
};

describe("a turn that waits for a decision", () => {
  it("[W-42] goes on after 120 s in a shared conversation, with the call pending and its card as it was", async () => {
    const { holds, card } = await waiting("shared");
    await pass(holds, GRACE_MS - 1);
    expect([holds.kernel.control.turn === null, holds.results]).toEqual([false, []]);
    await pass(holds, 1);
    expect(holds.kernel.control.turn).toBeNull();
    expect(holds.results).toMatchObject([{ outcome: "pending", text: expect.stringContaining("End your turn now") }]);
    expect(holds.card).toMatchObject({ hold: card.hold, digest: card.digest, status: "open", deadline: card.deadline });
    expect(holds.record).toMatchObject({ status: "pending", releasedAt: card.askedAt + GRACE_MS });
    expect(holds.totalEffects).toBe(0);
  });

  it("[W-42] waits on without limit in a private one", async () => {
    const { holds } = await waiting("private");
    await pass(holds, 22 * HOUR);
    expect(holds.kernel.snapshot().view.turn?.stage).toBe("waiting");
    expect(holds.record.status).toBe("open");
  });

  it("[W-42] [H-55] a late approval runs the stored call once, and its person's next turn hears of it", async () => {
    const { holds } = await waiting("shared");
    await pass(holds, GRACE_MS);
    expect(await holds.press("approve")).toEqual({ ok: true, value: {} });
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
    expect(holds.notices).toEqual([expect.stringContaining("has run")]);
    expect(holds.cards).toEqual([]);
  });

  it("[W-42] a decision at the last instant of the grace counts, and the turn has its result", async () => {
    const { holds } = await waiting("shared");
    await pass(holds, GRACE_MS - 1);
    await holds.press("approve");
    await pass(holds, 10);
    expect(holds.results).toMatchObject([{ outcome: "ok" }]);
    expect([holds.totalEffects, holds.notices]).toEqual([1, []]);
  });

  it("[W-42] goes on also when the directory is away, or the process was, as the grace ended", async () => {
    const away = await waiting("shared");
    away.holds.isDirectoryAway = true;
    await pass(away.holds, GRACE_MS);
    const dead = await waiting("shared");
    dead.holds.world.crash();
    dead.holds.world.clock.advanceTo(dead.holds.world.clock.now() + 2 * GRACE_MS);
    dead.holds.world.start().resume();
    await dead.holds.settle();
    for (const { holds } of [away, dead]) {
      expect(holds.record.status).toBe("pending");
      expect(holds.results).toMatchObject([{ outcome: "pending" }]);
    }
  });

  it("[W-42] reminds once and expires as ever after it went on", async () => {
    const { holds, card } = await waiting("shared");
    await pass(holds, 23 * HOUR);
    expect(holds.record).toMatchObject({ remindedAt: card.deadline - HOUR });
    await holds.world.run();
    expect(holds.notices).toEqual([expect.stringContaining("did not run")]);
    expect(holds.totalEffects).toBe(0);
  });

  it("[W-42] one call leaves by itself, whatever became of its sibling", async () => {
    const calls = [1, 2].map((n) => ({ name: "send", args: JSON.stringify({ ref: `r${n}` }) }));
    const holds = new HoldWorld({ script: (_, nth) => (nth === 0 ? { calls } : { text: "It waits." }) });
    holds.visibility = "shared";
    await holds.toCard();
    await holds.world.run(() => holds.cards.length === 2);
    await holds.settle();
    await holds.press("approve", { card: holds.card });
    await holds.settle();
    await pass(holds, GRACE_MS);
    expect(holds.results.map(({ outcome }) => outcome).toSorted()).toEqual(["ok", "pending"]);
    expect(holds.kernel.control.turn).toBeNull();
  });
});
