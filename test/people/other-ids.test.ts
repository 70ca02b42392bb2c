import { describe, expect, it } from "vitest";
import { type ConversationNow, type PersonFacts, TIERS, type Tier } from "../../src/people/facts.ts";
import { ACTIONS, mayAct } from "../../src/people/may-act.ts";
import { authorOf, idsOf, isSame, lowerTier, tierAs } from "../../src/people/other-ids.ts";

const rank = (tier: Tier) => TIERS.indexOf(tier);
const ada = (tier: Tier, then: Tier): PersonFacts => ({
  principalId: "p_ada",
  name: "Ada",
  tier,
  disabled: false,
  linked: true,
  sessionExpiresAt: 2,
  otherIds: [{ id: "p_bob", tier: then }],
});

describe("ids that stand for the same person", () => {
  it("[J-64] are their own and their former ones, and nobody else's", () => {
    const person = ada("member", "member");
    expect(idsOf(person)).toEqual(["p_ada", "p_bob"]);
    expect(["p_ada", "p_bob", "p_cid", "", null, undefined].map((id) => isSame(person, id))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(isSame({ principalId: "p_bob" }, "p_ada")).toBe(false);
  });

  it("[J-64] a former one counts with the lower tier, for each pair of tiers", () => {
    for (const now of TIERS) {
      for (const then of TIERS) {
        const person = ada(now, then);
        expect(tierAs(person, "p_ada")).toBe(now);
        expect(rank(tierAs(person, "p_bob") ?? "owner")).toBe(Math.min(rank(now), rank(then)));
        expect(lowerTier(now, then)).toBe(lowerTier(then, now));
        expect(tierAs(person, "p_cid")).toBeUndefined();
      }
    }
  });

  it("[J-68] what one of them sent already is that one's, and a new message their own", () => {
    const person = ada("member", "member");
    expect(authorOf(person, "m1", (key) => key === "p_bob:m1")).toBe("p_bob");
    expect(authorOf(person, "m1", () => true)).toBe("p_ada");
    expect(authorOf(person, "m1", () => false)).toBe("p_ada");
  });

  it("[J-65] [J-69] open what the former owned, was in and said, and nothing else", () => {
    const as = { key: "web:1", owner: "p_bob" } as const;
    const ours: readonly ConversationNow[] = [
      { ...as, visibility: "private" },
      { ...as, visibility: "shared", members: ["p_cid", "p_bob"], ofPrincipal: "p_bob" },
    ];
    const theirs: readonly ConversationNow[] = [
      { ...as, visibility: "private", owner: "p_cid" },
      { ...as, visibility: "shared", members: ["p_cid"], ofPrincipal: "p_bob" },
    ];
    const may = (person: PersonFacts, conversation: ConversationNow) =>
      ACTIONS.filter((action) => mayAct(person, action, conversation, 1).ok);
    for (const tier of ["member", "admin"] as const) {
      const person = ada(tier, "owner");
      const self: PersonFacts = { ...person, principalId: "p_bob", otherIds: [] };
      expect(ours.map((one) => may(person, one))).toEqual(ours.map((one) => may(self, one)));
      expect(theirs.map((one) => may(person, one))).toEqual([[], []]);
    }
  });
});
