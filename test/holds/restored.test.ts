import { describe, expect, it } from "vitest";
import { verifyChain } from "../../src/holds/audit/verify-chain.ts";
import { POLICY } from "../../src/holds/index.ts";
import { LANE } from "../../src/host/index.ts";
import { ANNA, HoldWorld } from "../kit/hold-world.ts";
import { putBack } from "../kit/put-back.ts";
import { ask, COLOUR, QuestionWorld } from "../kit/question-world.ts";
import { TestNetwork, testSurface } from "../kit/test-network.ts";

/** The process dies, and what it left is put back from a backup of that moment. */
async function restore({ world }: Pick<HoldWorld, "world">): Promise<void> {
  world.crash();
  putBack(world);
  world.start().resume();
  await world.run(() => false, world.clock.now());
}

const lastLine = ({ audit }: HoldWorld) => audit.at(-1);

/** The chain goes on after the restored ending, and is whole. */
function expectWhole({ audit }: HoldWorld): void {
  expect(verifyChain("web:test", audit)).toBeUndefined();
}

describe("decisions of a conversation that was restored", () => {
  it("[K-96] a waiting card is over, the audit says why, and a press comes too late", async () => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    await restore(holds);
    expect(holds.cards).toEqual([]);
    expect(lastLine(holds)).toMatchObject({ event: "cancelled", hold: card.hold, reason: "restored", by: null });
    expect(await holds.press("approve", { card })).toMatchObject({
      ok: false,
      error: { code: "already_decided", message: expect.stringContaining("restored from a backup") },
    });
    await holds.world.run();
    expect(holds.totalEffects).toBe(0);
    expectWhole(holds);
  });

  it("[K-96] so is one whose call had left its turn", async () => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    holds.say("what is the time?");
    await holds.settle();
    expect(holds.stored.records[card.hold]?.status).toBe("pending");
    const requests = holds.world.model.requests.length;
    await restore(holds);
    expect(holds.cards).toEqual([]);
    expect(lastLine(holds)).toMatchObject({ event: "cancelled", hold: card.hold, reason: "restored" });
    expect(holds.world.model.requests).toHaveLength(requests);
    expectWhole(holds);
  });

  it("[K-96] an approval that was not spent is spent no more, and one that runs is not run again", async () => {
    const approved = new HoldWorld();
    await approved.toCard();
    const { card } = approved;
    await approved.press("approve", { card });
    await restore(approved);
    await approved.world.run();
    expect(approved.totalEffects).toBe(0);
    expectWhole(approved);

    const running = new HoldWorld();
    running.beforeEffect = () => new Promise(() => undefined);
    await running.toCard();
    await running.press("approve");
    await running.world.run(() => lastLine(running)?.event === "spent", running.world.clock.now());
    running.beforeEffect = () => Promise.resolve();
    await restore(running);
    await running.world.run();
    expect(running.totalEffects).toBe(0);
    expectWhole(running);
  });

  it("[K-96] what was allowed in advance is revoked, and constraints stay", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    const { hold } = holds.card;
    await holds.press("approve", { always: { any: [], hours: 1 } });
    const by = { principalId: ANNA, name: "Anna" };
    const constraint = { id: "c", tools: ["other"], effect: "never", text: "never", by, at: 0 } as const;
    holds.kernel.commit((tx) => tx.set(POLICY, { constraints: [constraint] }));
    await holds.settle();
    expect(holds.kernel.get(POLICY).allow).toHaveLength(1);
    await restore(holds);
    expect(holds.kernel.get(POLICY)).toEqual({ allow: [], constraints: [constraint] });
    expect(lastLine(holds)).toMatchObject({ event: "rule_revoked", hold, by: null, tier: null });
    holds.say("go to main");
    await holds.settle();
    expect(holds.card.status, "the same call asks again").toBe("open");
    expectWhole(holds);
  });

  it("[K-96] replies that waited for a network are not sent, and its cards are closed", async () => {
    const network = new TestNetwork();
    const holds = new HoldWorld({ network: { surface: testSurface(network), channel: network.open("1") } });
    await holds.toCard();
    await holds.settle();
    const shown = network.messages.length;
    expect(shown).toBeGreaterThan(0);
    network.isAway = true;
    holds.say("what is the time?");
    await holds.settle();
    expect(holds.kernel.get(LANE).queue).toHaveLength(1);
    network.isAway = false;
    await restore(holds);
    await holds.world.run();
    expect(network.messages).toHaveLength(shown);
    expect(network.messages.every(({ card, closed }) => !card || closed?.includes("restored from a backup"))).toBe(
      true,
    );
    holds.say("hello");
    await holds.world.run();
    expect(network.messages).toHaveLength(shown + 1);
  });

  it("[K-96] a question that waits is over", async () => {
    const asked = new QuestionWorld([ask(COLOUR)]);
    await asked.world.run(() => true);
    asked.say("go");
    await asked.world.run(() => asked.cards.length > 0, asked.world.clock.now());
    await restore(asked);
    expect(asked.cards).toEqual([]);
    expect(asked.world.control).toMatchObject({ turn: null, tasks: {} });
  });
});
