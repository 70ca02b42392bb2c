import { describe, expect, it } from "vitest";
import { ANNA, HELD, HoldWorld } from "../../kit/hold-world.ts";

const BERT = { principalId: "p_bert", name: "Bert", tier: "member" } as const;
const DONE = { ok: true, value: {} };
const refused = (code: string) => ({ ok: false, error: { code } });

/** A card that nobody answered, and whose turn is over. */
async function expired(): Promise<{ readonly holds: HoldWorld; readonly hold: string }> {
  const holds = new HoldWorld();
  const { hold } = await holds.toCard();
  await holds.world.run();
  return { holds, hold };
}

async function asked(holds: HoldWorld, hold: string): Promise<void> {
  expect(await holds.askAgain(hold)).toEqual(DONE);
  await holds.settle();
}

describe("asking again", () => {
  it("[H-67] [H-68] makes a fresh card of the stored call; approved, it runs once, and the model hears of it", async () => {
    const { holds, hold } = await expired();
    expect(holds.again).toMatchObject([{ hold, index: 0, status: "expired" }]);
    await asked(holds, hold);
    expect(holds.again).toEqual([]);
    expect(holds.cards).toMatchObject([{ status: "open", again: { changes: [] }, args: [{ name: "ref" }] }]);
    expect(holds.card.hold).not.toBe(hold);
    expect(holds.stored.records[hold]).toMatchObject({ status: "expired" });
    expect(holds.kernel.control.turn).toBeNull();
    expect(await holds.press("approve")).toEqual(DONE);
    await holds.world.run();
    expect(holds.inputs).toEqual([{ ref: "main" }]);
    expect(holds.results).toMatchObject([{ code: "expired" }]);
    expect(holds.notices[0]).toMatch(/The call of send that was waiting has run\. Decided by Anna\.[\s\S]*sent/);
  });

  it("[H-67] asks once, however often it is asked, and survives a restart", async () => {
    const { holds, hold } = await expired();
    expect(await Promise.all([holds.askAgain(hold), holds.askAgain(hold)])).toEqual([DONE, DONE]);
    await holds.restart();
    await holds.settle();
    expect(await holds.askAgain(hold)).toEqual(DONE);
    await holds.settle();
    expect(holds.cards).toHaveLength(1);
  });

  it("[H-67] [H-56] declined, it counts for no turn; never answered, it expires like any other", async () => {
    for (const isDeclined of [true, false]) {
      const { holds, hold } = await expired();
      await asked(holds, hold);
      if (isDeclined) await holds.press("decline");
      await holds.world.run();
      expect(holds.stored.declines).toBeUndefined();
      expect(holds.notices[0]).toContain(isDeclined ? '"Anna" declined' : "expired and will not run");
      expect(holds.again).toHaveLength(isDeclined ? 0 : 1);
      expect(holds.inputs).toEqual([]);
    }
  });

  it("[H-67] [H-68] after a change shows what would run now, and names what had changed", async () => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    holds.describe = () => ({ ...HELD, target: "another server" });
    await holds.press("approve");
    await holds.world.run();
    expect(holds.again).toMatchObject([{ hold: card.hold, status: "changed" }]);
    await asked(holds, card.hold);
    expect(holds.card).toMatchObject({ target: "another server", again: { changes: ["target"] } });
    expect(holds.card.digest).not.toBe(card.digest);
    await holds.press("approve");
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-67] what no rule holds any more runs without a card; what is forbidden now does not", async () => {
    for (const isFree of [true, false]) {
      const { holds, hold } = await expired();
      if (isFree) holds.describe = () => undefined;
      else holds.deny = () => "no more";
      await asked(holds, hold);
      await holds.world.run();
      expect(holds.cards).toEqual([]);
      expect(holds.totalEffects).toBe(isFree ? 1 : 0);
    }
  });

  it("[H-67] is for whoever could answer, and for what ended without an answer", async () => {
    const { holds, hold } = await expired();
    holds.people.set(BERT.principalId, BERT);
    expect(await holds.askAgain(hold, BERT.principalId)).toMatchObject(refused("forbidden"));
    holds.people.set(ANNA, { principalId: ANNA, name: "Anna", tier: "guest" });
    expect(await holds.askAgain(hold)).toMatchObject(refused("forbidden"));
    expect(await holds.askAgain("__proto__")).toMatchObject(refused("unknown_hold"));
    expect(holds.cards).toEqual([]);
    for (const decision of ["approve", "decline"] as const) {
      const other = new HoldWorld();
      const card = await other.toCard();
      expect(await other.askAgain(card.hold)).toMatchObject(refused("nothing_to_do"));
      await other.press(decision);
      await other.world.run();
      expect(await other.askAgain(card.hold)).toMatchObject(refused("nothing_to_do"));
    }
  });

  it("[H-67] of an edited card goes back to what the model wrote", async () => {
    const holds = new HoldWorld();
    const { hold } = await holds.toCard();
    const isApproved = () => holds.cards.some(({ status }) => status === "approved");
    holds.describe = () => (isApproved() ? undefined : HELD);
    await holds.press("approve", { input: { ref: "release" } });
    await holds.world.run();
    const [again] = holds.again;
    expect(again?.hold).not.toBe(hold);
    await asked(holds, again?.hold ?? "");
    expect(holds.card.args).toEqual([{ name: "ref", value: '"main"' }]);
  });
});
