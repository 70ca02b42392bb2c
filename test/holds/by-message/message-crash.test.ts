import { describe, expect, it } from "vitest";
import { verifyChain } from "../../../src/holds/audit/verify-chain.ts";
import { HoldWorld } from "../../kit/hold-world.ts";

type Answer = "approve" | "decline" | "other" | "unsure";

/** Holds a call, lists it and answers; whatever dies, the client sends its message again until it has its receipt. */
async function play(answer: Answer, killAt: readonly number[]): Promise<HoldWorld> {
  const holds = new HoldWorld({ killAt });
  holds.isListing = true;
  const isDone = (key: string) => holds.kernel.input(`p_anna:${key}`) !== undefined;
  await until(holds, () => holds.kernel !== undefined);
  await again(holds, () => isDone("go") || holds.say("go"));
  await until(holds, () => holds.kernel.control.turn === null && Object.keys(holds.stored.records).length > 0);
  await again(holds, () => holds.list(1));
  await again(holds, () => isDone(answer) || holds.answer(answer, { sentAt: 2 }));
  await holds.world.run();
  return holds;
}

async function until(holds: HoldWorld, condition: () => boolean): Promise<void> {
  let isReady = false;
  await holds.world.run(() => (isReady = condition()));
  if (!isReady) throw new Error("the moment never came");
}

async function again(holds: HoldWorld, act: () => unknown): Promise<void> {
  for (;;) {
    await until(holds, () => true);
    try {
      await act();
      return;
    } catch (error) {
      if (holds.world.crashes.isAlive) throw error;
    }
  }
}

const ENDS: Readonly<Record<Answer, { readonly effects: number; readonly event: string }>> = {
  approve: { effects: 1, event: "approved" },
  decline: { effects: 0, event: "declined" },
  other: { effects: 0, event: "cancelled" },
  unsure: { effects: 0, event: "expired" },
};

describe.each(Object.entries(ENDS))("a listed call, answered by %s", (answer, { effects, event }) => {
  const cuts = [[], [2]].flatMap((gaps) => [0, 1, 2, 3, 4, 5].map((share) => ({ gaps, share })));

  it.each(cuts)(
    "[H-139] [H-137] dies at each point, again $gaps later, and ends the same (share $share of 6)",
    async (cut) => {
      const whole = await play(answer as Answer, []);
      expect(whole.totalEffects).toBe(effects);
      expect(whole.world.crashes.passed.length).toBeGreaterThan(10);
      for (const [index, point] of whole.world.crashes.passed.entries()) {
        if (index % 6 === cut.share) await expectSameEnd([index, ...cut.gaps.map((gap) => index + gap)], point);
      }
    },
  );

  async function expectSameEnd(killAt: readonly number[], point: string): Promise<void> {
    const where = `killed at ${killAt.join(" and ")} (${point})`;
    const cut = await play(answer as Answer, killAt);
    expect(cut.totalEffects, where).toBeLessThanOrEqual(effects);
    expect(Math.max(0, ...cut.effects.values()), where).toBeLessThanOrEqual(1);
    expect(Object.values(cut.world.control.tasks), `${where}: no task is left`).toEqual([]);
    expect(cut.world.control.turn, where).toBeNull();
    expect(cut.world.alarm.armedFor, where).toBeNull();
    expect(verifyChain("web:test", cut.audit), where).toBeUndefined();
    const ends = cut.audit.map((line) => line.event).filter((one) => one === event);
    expect(ends, `${where}: decided once`).toEqual([event]);
  }
});
