import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/lib/json.ts";
import type { Tier } from "../../../src/people/facts.ts";
import { ANNA, HELD, HoldWorld } from "../../kit/hold-world.ts";

const OLGA = "p_olga";
const person = (holds: HoldWorld, principalId: string, tier: Tier) =>
  void holds.people.set(principalId, { principalId, name: principalId, tier });

/** What may change behind a card, and what becomes of it: at the press when it changed before, at the start when after. */
interface Change {
  readonly name: string;
  readonly change: (holds: HoldWorld) => Promise<void> | void;
  /** Code of the press's answer; `ok`: the press counts, the start refuses. */
  readonly press: "ok" | "changed" | "forbidden" | "nobody";
  /** Code of the call's result, and a word of why. */
  readonly start: readonly [code: string, why: string];
}

const CHANGES: readonly Change[] = [
  {
    name: "the bytes of a file",
    change: ({ files }) => void files.set("f1", { name: "plan.pdf", bytes: 3, sha256: "b".repeat(64) }),
    press: "changed",
    start: ["changed", "(files)"],
  },
  {
    name: "a file that goes",
    change: ({ files }) => void files.delete("f1"),
    press: "changed",
    start: ["changed", "(files)"],
  },
  {
    name: "a deploy whose operator forbids it",
    async change(holds) {
      holds.deny = () => "not on Fridays";
      await holds.restart();
    },
    press: "changed",
    start: ["changed", "(deny rule)"],
  },
  {
    name: "a deploy whose rules ask for a higher tier",
    async change(holds) {
      holds.describe = () => ({ ...HELD, files: ["f1"], minTier: "owner" });
      await holds.restart();
    },
    press: "changed",
    start: ["changed", "(minimum tier)"],
  },
  {
    name: "a deploy with another version of the tool",
    async change(holds) {
      holds.version = "2";
      await holds.restart();
    },
    press: "changed",
    start: ["changed", "(version)"],
  },
  {
    name: "the presser, who is no owner any more",
    change: (holds) => person(holds, OLGA, "member"),
    press: "forbidden",
    start: ["changed", "(approver)"],
  },
  {
    name: "the presser, who was taken out of the room or has no identity here any more",
    change: ({ people }) => void people.delete(OLGA),
    press: "nobody",
    start: ["changed", "(approver)"],
  },
  {
    name: "the speaker, who was taken out of the room",
    change: ({ people }) => void people.delete(ANNA),
    press: "ok",
    start: ["below_tier", "may not use send any more"],
  },
  {
    name: "the speaker's tier",
    change: (holds) => person(holds, ANNA, "guest"),
    press: "ok",
    start: ["below_tier", "may not use send any more"],
  },
  {
    name: "the speaker's identity, which is another person's now",
    change: (holds) => void (holds.isSpeakerUnlinked = true),
    press: "ok",
    start: ["below_tier", "may not use send any more"],
  },
];

/** A card in a shared conversation that Anna asked for and Olga, an owner, is to press. */
async function ready(): Promise<HoldWorld> {
  const holds = new HoldWorld();
  holds.visibility = "shared";
  holds.files.set("f1", { name: "plan.pdf", bytes: 3, sha256: "a".repeat(64) });
  holds.describe = () => ({ ...HELD, files: ["f1"] });
  person(holds, OLGA, "owner");
  await holds.toCard();
  return holds;
}

const KINDS: readonly (readonly [string, { readonly input?: Json }])[] = [
  ["as it was shown", {}],
  ["as edited", { input: { ref: "release" } }],
];

describe.each(KINDS)("a call approved %s", (_kind, said) => {
  it("[H-82] runs when nothing changed", async () => {
    const holds = await ready();
    expect(await holds.press("approve", { by: OLGA, ...said })).toEqual({ ok: true, value: {} });
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
  });

  it.each(CHANGES)("[H-82] [S-11] does not run after this changed before the press: $name", async (row) => {
    const holds = await ready();
    const { card } = holds;
    await row.change(holds);
    if (row.press !== "nobody") {
      const answer = await holds.press("approve", { card, by: OLGA, ...said });
      expect(answer.ok ? "ok" : answer.error.code).toBe(row.press);
    }
    await holds.world.run();
    expect(holds.totalEffects).toBe(0);
  });

  it.each(CHANGES)("[H-82] [S-11] does not run after this changed between press and start: $name", async (row) => {
    const holds = await ready();
    expect(await holds.press("approve", { by: OLGA, ...said })).toEqual({ ok: true, value: {} });
    await row.change(holds);
    await holds.world.run();
    const [code, why] = row.start;
    expect(holds.results).toMatchObject([{ outcome: "blocked", code }]);
    expect(holds.results[0]?.text).toContain(why);
    expect(holds.totalEffects).toBe(0);
  });
});
