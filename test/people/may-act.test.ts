import { describe, expect, it } from "vitest";
import { type ConversationFacts, type PersonFacts, TIERS, type Tier } from "../../src/people/facts.ts";
import { ACTIONS, type Action, mayAct } from "../../src/people/may-act.ts";

const NOW = 1_000_000;

function person(facts: Partial<PersonFacts> = {}): PersonFacts {
  return {
    principalId: "p_ada",
    name: "Ada",
    tier: "member",
    disabled: false,
    linked: true,
    sessionExpiresAt: NOW + 1,
    ...facts,
  };
}

const own: ConversationFacts = { key: "web:1", visibility: "private", owner: "p_ada" };
const foreign: ConversationFacts = { ...own, owner: "p_bob" };
const shared: ConversationFacts = { ...foreign, visibility: "shared" };

function codeOf(who: PersonFacts | undefined, action: Action, conversation: ConversationFacts | undefined): string {
  const verdict = mayAct(who, action, conversation, NOW);
  return verdict.ok ? "ok" : verdict.error.code;
}

describe("who may do anything at all", () => {
  const nobody: readonly (readonly [string, PersonFacts | undefined, string])[] = [
    ["unknown", undefined, "unauthenticated"],
    ["of a revoked session", person({ sessionExpiresAt: undefined }), "unauthenticated"],
    ["of a session that ends now", person({ sessionExpiresAt: NOW }), "unauthenticated"],
    ["disabled", person({ disabled: true, tier: "owner" }), "forbidden"],
    ["no longer linked", person({ linked: false, tier: "owner" }), "forbidden"],
    ["a guest", person({ tier: "guest" }), "forbidden"],
  ];

  it.each(nobody)("[U-12] a person who is %s may do nothing", (_, who, code) => {
    for (const action of ACTIONS) {
      for (const conversation of [undefined, own, foreign, shared]) {
        expect(codeOf(who, action, conversation)).toBe(code);
      }
    }
  });

  it("[U-12] a session that ends a millisecond later still counts", () => {
    expect(codeOf(person({ sessionExpiresAt: NOW + 1 }), "send", own)).toBe("ok");
  });
});

describe("private conversations", () => {
  const tiers: readonly Tier[] = TIERS.filter((tier) => tier !== "guest");

  it.each(tiers)("[U-13] the owning principal of tier %s may do everything", (tier) => {
    for (const action of ACTIONS) expect(codeOf(person({ tier }), action, own)).toBe("ok");
  });

  it.each(tiers)("[U-13] another principal of tier %s hears the same as for no conversation at all", (tier) => {
    for (const action of ACTIONS) {
      expect(codeOf(person({ tier }), action, foreign)).toBe("not_found");
      if (action === "create") continue;
      expect(mayAct(person({ tier }), action, foreign, NOW)).toEqual(mayAct(person({ tier }), action, undefined, NOW));
    }
  });

  it("[U-13] only creating needs no conversation", () => {
    const allowed = ACTIONS.filter((action) => codeOf(person(), action, undefined) === "ok");
    expect(allowed).toEqual(["create"]);
  });
});

describe("shared conversations", () => {
  const forOwners: readonly Action[] = ["stop", "withdraw", "settings", "policy", "delete", "rewrite", "inspect"];

  it.each(["member", "admin"] as const)("[U-14] a %s may do what is not kept for owners", (tier) => {
    for (const action of ACTIONS) {
      expect(codeOf(person({ tier }), action, shared)).toBe(forOwners.includes(action) ? "forbidden" : "ok");
    }
  });

  it("[U-14] [W-31] whoever may read it may stay, whatever else is refused", () => {
    const refusals = forOwners.map((action) => mayAct(person(), action, shared, NOW));
    for (const verdict of refusals) expect(verdict).toMatchObject({ error: { mayStay: true } });
    expect(mayAct(person(), "stop", foreign, NOW)).not.toHaveProperty("error.mayStay");
    expect(mayAct(person({ disabled: true }), "stop", shared, NOW)).not.toHaveProperty("error.mayStay");
  });

  it("[F-14] whoever may read may fork", () => {
    for (const tier of ["member", "admin", "owner"] as const) {
      expect(codeOf(person({ tier }), "fork", shared)).toBe("ok");
    }
    expect(codeOf(person({ tier: "guest" }), "fork", shared)).toBe("forbidden");
    expect(codeOf(person({ tier: "owner" }), "fork", foreign)).toBe("not_found");
    expect(codeOf(person(), "fork", own)).toBe("ok");
  });

  it("[U-14] an owner may do everything", () => {
    for (const action of ACTIONS) expect(codeOf(person({ tier: "owner" }), action, shared)).toBe("ok");
  });
});
