import { describe, expect, it } from "vitest";
import { POLICY } from "../../../src/holds/index.ts";
import type { PolicyState } from "../../../src/holds/policy/policy-state.ts";
import { HOUR, HoldWorld } from "../../kit/hold-world.ts";

const ALWAYS = { any: [], hours: 24 };
const BY = { principalId: "p_anna", name: "Anna" };
const OLGA = { principalId: "p_olga", name: "Olga", tier: "owner" } as const;

const policyOf = ({ kernel }: HoldWorld) => kernel.get(POLICY);
const events = ({ audit }: HoldWorld) => audit.map(({ event }) => event);
const isOpen = ({ cards }: HoldWorld) => cards.some(({ status }) => status === "open");
const isIdle = ({ kernel }: HoldWorld) => kernel.control.turn === null;

/** A world in which the first call was approved for a day, and has run. */
async function allowed(holds = new HoldWorld(), by?: string): Promise<HoldWorld> {
  await holds.toCard();
  expect(await holds.press("approve", { always: ALWAYS, ...(by !== undefined && { by }) })).toEqual({
    ok: true,
    value: {},
  });
  await holds.world.run(() => isIdle(holds));
  expect(holds.totalEffects).toBe(1);
  return holds;
}

/** Says something that makes the same call again, and lets it run or come to a card. */
async function again(holds: HoldWorld, text = "go again"): Promise<void> {
  holds.say(text);
  await holds.world.run(() => isOpen(holds) || isIdle(holds));
}

describe("what is always allowed", () => {
  it("[H-118] [H-120] [H-122] is saved by the approval, runs without a card, and each use is counted", async () => {
    const holds = await allowed();
    expect(policyOf(holds).allow).toMatchObject([{ tool: "send", uses: 0, by: { name: "Anna" } }]);
    await again(holds);
    expect(isOpen(holds)).toBe(false);
    expect(holds.totalEffects).toBe(2);
    expect(holds.results.at(-1)?.text).toContain('"Anna" allowed calls like this one in advance.');
    expect(policyOf(holds).allow).toMatchObject([{ uses: 1, lastUsedAt: holds.world.clock.now() }]);
  });

  it("[H-124] is told in the audit: saved with the approval, and each use with its author", async () => {
    const holds = await allowed();
    await again(holds);
    expect(events(holds)).toEqual(["opened", "rule_saved", "approved", "spent", "allowed"]);
    expect(holds.audit.at(-1)).toMatchObject({ by: "p_anna", tool: "send" });
    expect(holds.audit[1]).toMatchObject({ hold: holds.audit[0]?.hold, by: "p_anna", tier: "member" });
  });

  it("[H-119] asks about another call of the tool", async () => {
    const holds = new HoldWorld({
      script: ({ messages }) =>
        messages.at(-1)?.role === "user"
          ? { calls: [{ name: "send", args: JSON.stringify({ n: messages.length }) }] }
          : { text: "Done." },
    });
    await allowed(holds);
    await again(holds);
    expect(isOpen(holds)).toBe(true);
  });

  it("[H-119] asks when it has ended", async () => {
    const holds = await allowed();
    holds.world.clock.advanceTo(holds.world.clock.now() + 24 * HOUR);
    await again(holds);
    expect(isOpen(holds)).toBe(true);
  });

  it("[H-120] asks once its author could not approve the call any more", async () => {
    const holds = new HoldWorld();
    holds.visibility = "shared";
    holds.people.set(OLGA.principalId, OLGA);
    await allowed(holds, OLGA.principalId);
    holds.people.set(OLGA.principalId, { ...OLGA, tier: "admin" });
    await again(holds);
    expect(isOpen(holds)).toBe(true);
    expect(holds.totalEffects).toBe(1);
  });

  it.each<[string, Partial<PolicyState>]>([
    ["revoked", { allow: [] }],
    [
      "set under a constraint",
      { constraints: [{ id: "c", tools: ["send"], effect: "ask", text: "ask", by: BY, at: 0 }] },
    ],
  ])("[H-120] a rule that was %s between check and start lets nothing start", async (_, change) => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    await holds.press("approve", { always: ALWAYS });
    await holds.world.run(() => isIdle(holds));
    const decision = await holds.check(card);
    if (decision?.kind !== "allow") throw new Error(`the gate said ${decision?.kind}`);
    holds.kernel.commit((tx) => tx.set(POLICY, change));
    expect(() => holds.kernel.commit((tx) => decision.onStarted(tx))).toThrow(
      expect.objectContaining({ name: "CallRefused", code: "revoked" }),
    );
  });

  it("[H-120] does not start a call whose rule was revoked while it was checked", async () => {
    const holds = await allowed();
    holds.beforeAnswer = async () => holds.kernel.commit((tx) => tx.set(POLICY, { allow: [] }));
    await again(holds);
    // The commit fell before the gate looked for rules, or after: either way no call ran without one.
    expect(holds.totalEffects).toBe(1);
    expect(isOpen(holds) || holds.results.at(-1)?.code === "revoked").toBe(true);
  });

  it("[H-121] a deny rule and a standing constraint come first", async () => {
    const holds = await allowed();
    const by = { principalId: "p_anna", name: "Anna" };
    const constraint = { id: "c", tools: ["send"], effect: "ask", text: "ask", by, at: 0 } as const;
    holds.kernel.commit((tx) => tx.set(POLICY, { constraints: [constraint] }));
    await again(holds);
    expect(isOpen(holds)).toBe(true);
    const refused = await holds.press("approve", { always: ALWAYS });
    expect(refused).toMatchObject({ ok: false, error: { code: "bad_request" } });
    expect(isOpen(holds)).toBe(true);
    await holds.press("decline");
    await holds.world.run(() => isIdle(holds));
    holds.kernel.commit((tx) => tx.set(POLICY, { constraints: [] }));
    holds.deny = () => "closed";
    await again(holds, "go once more");
    expect(holds.results.at(-1)).toMatchObject({ code: "denied" });
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-118] cannot be saved with other arguments than the card shows: nothing is decided", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    const answer = await holds.press("approve", { always: ALWAYS, input: { ref: "other" } });
    expect(answer).toMatchObject({ ok: false, error: { code: "bad_request" } });
    expect(isOpen(holds)).toBe(true);
    expect(policyOf(holds).allow).toEqual([]);
  });

  it("[H-118] a press that does not count, or comes too late, saves nothing", async () => {
    const holds = new HoldWorld();
    holds.people.set(OLGA.principalId, OLGA);
    const card = await holds.toCard();
    expect(await holds.press("approve", { always: ALWAYS, by: OLGA.principalId })).toMatchObject({ ok: false });
    await holds.press("approve");
    expect(await holds.press("approve", { card, always: ALWAYS })).toMatchObject({ ok: true });
    expect(await holds.press("decline", { card, always: ALWAYS })).toMatchObject({ ok: false });
    await holds.world.run();
    expect(policyOf(holds).allow).toEqual([]);
  });
});

it("[H-57] [H-120] a call that is allowed in advance dies before and after every commit and effect: it runs once at most", async () => {
  const play = async (killAt: readonly number[]): Promise<HoldWorld> => {
    const holds = new HoldWorld({ killAt });
    const attempt = async (when: () => boolean, act: () => unknown) => {
      for (;;) {
        await holds.world.run(when);
        try {
          await act();
          return;
        } catch (error) {
          if (holds.world.crashes.isAlive) throw error;
        }
      }
    };
    await attempt(
      () => true,
      () => holds.say("go"),
    );
    let hold: HoldWorld["card"] | undefined;
    await attempt(
      () => hold !== undefined || isOpen(holds),
      () => holds.press("approve", { card: (hold ??= holds.card), always: ALWAYS }),
    );
    await attempt(
      () => isIdle(holds),
      () => holds.say("go again"),
    );
    await holds.world.run();
    return holds;
  };
  const whole = await play([]);
  expect(whole.totalEffects).toBe(2);
  for (const [index, point] of whole.world.crashes.passed.entries()) {
    const where = `killed at ${index} (${point})`;
    const cut = await play([index]);
    expect(Math.max(0, ...cut.effects.values()), where).toBeLessThanOrEqual(1);
    expect(cut.kernel.control.turn, where).toBeNull();
    expect(policyOf(cut).allow, where).toHaveLength(1);
    const used = cut.audit.filter(({ event }) => event === "allowed").length;
    expect(policyOf(cut).allow[0]?.uses, `${where}: uses as audited`).toBe(used);
    expect(cut.opened.length, `${where}: cards`).toBe(1);
  }
});
