import { describe, expect, it } from "vitest";
import { verifyChain } from "../../../src/holds/audit/verify-chain.ts";
import { HELD, HoldWorld } from "../../kit/hold-world.ts";

const blocked = ({ audit }: HoldWorld) => audit.filter(({ event }) => event === "blocked");

async function refused(change: (holds: HoldWorld) => void): Promise<HoldWorld> {
  const holds = new HoldWorld();
  change(holds);
  holds.world.start().resume();
  holds.say("go");
  await holds.world.run();
  expect(holds.totalEffects).toBe(0);
  return holds;
}

describe("a call that is refused before there is a card", () => {
  const cases: readonly (readonly [string, (holds: HoldWorld) => void, string | null])[] = [
    ["denied", (holds) => void (holds.deny = () => "never"), "deny"],
    ["unavailable", (holds) => void (holds.describe = () => ({ ...HELD, minTier: "owner" })), "send.0"],
    ["expired", (holds) => void (holds.describe = () => ({ ...HELD, deadlineMs: 0 })), "send.0"],
    ["nobody_to_ask", (holds) => void (holds.nobodyToAsk = "Subagents ask nobody."), "send.0"],
  ];
  it.each(cases)("[H-79] as %s has one line in the audit", async (reason, change, rule) => {
    const holds = await refused(change);
    expect(blocked(holds)).toMatchObject([{ hold: null, tool: "send", rule, reason, speaker: "p_anna", by: null }]);
    expect(verifyChain("web:test", holds.audit)).toBeUndefined();
    expect(JSON.stringify(holds.audit)).not.toContain("main");
  });

  it("[H-79] has a line up to the twentieth in a turn; further ones are counted, and told with the next turn's", async () => {
    const calls = (count: number) => Array.from({ length: count }, () => ({ name: "send", args: "{}" }));
    const holds = new HoldWorld({
      script: ({ messages }) => {
        const last = messages.at(-1);
        const said = last?.role === "user" ? JSON.stringify(last.content) : "";
        return last?.role === "user" ? { calls: calls(Number(/\d+/.exec(said)?.[0])) } : { text: "Done." };
      },
    });
    holds.deny = () => "never";
    holds.world.start().resume();
    holds.say("20 please");
    await holds.world.run();
    expect(blocked(holds)).toHaveLength(20);
    holds.say("21 please");
    await holds.world.run();
    expect(blocked(holds)).toHaveLength(40);
    holds.say("1 please");
    await holds.world.run();
    expect(blocked(holds).slice(40)).toMatchObject([
      { reason: "counted", count: 1, speaker: "p_anna" },
      { reason: "denied", count: null },
    ]);
    expect(verifyChain("web:test", holds.audit)).toBeUndefined();
  });

  it("[H-79] has one line, wherever the process dies", async () => {
    const play = async (killAt: readonly number[]) => {
      const holds = new HoldWorld({ killAt });
      holds.deny = () => "never";
      holds.world.start().resume();
      holds.say("go");
      await holds.world.run();
      return holds;
    };
    const whole = await play([]);
    expect(whole.world.crashes.passed.length).toBeGreaterThan(5);
    for (const [index, point] of whole.world.crashes.passed.entries()) {
      const cut = await play([index]).catch(() => undefined);
      if (cut) expect(blocked(cut), `killed at ${index} (${point})`).toHaveLength(1);
    }
  });
});
