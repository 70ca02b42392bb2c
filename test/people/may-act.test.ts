import { describe, expect, it } from "vitest";
import { type ConversationNow, type PersonFacts, TIERS, type Tier } from "../../src/people/facts.ts";
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

const own: ConversationNow = { key: "web:1", visibility: "private", owner: "p_ada" };
const foreign: ConversationNow = { ...own, owner: "p_bob" };
const shared: ConversationNow = { ...foreign, visibility: "shared", members: ["p_bob", "p_ada"] };
/** One in which Ada is not. */
const closed: ConversationNow = { ...shared, members: ["p_bob"] };

function codeOf(who: PersonFacts | undefined, action: Action, conversation: ConversationNow | undefined): string {
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
      for (const conversation of [undefined, own, foreign, shared, closed]) {
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
    for (const action of ACTIONS) {
      const isOwnersOnly = action === "share" && tier !== "owner";
      expect(codeOf(person({ tier }), action, own)).toBe(isOwnersOnly ? "forbidden" : "ok");
    }
  });

  it.each(tiers)("[U-13] another principal of tier %s hears the same as for no conversation at all", (tier) => {
    for (const action of ACTIONS) {
      if (action === "share" && tier !== "owner") continue;
      expect(codeOf(person({ tier }), action, foreign)).toBe("not_found");
      if (action === "create" || action === "share") continue;
      expect(mayAct(person({ tier }), action, foreign, NOW)).toEqual(mayAct(person({ tier }), action, undefined, NOW));
    }
  });

  it("[U-13] only creating needs no conversation", () => {
    const allowed = ACTIONS.filter((action) => codeOf(person(), action, undefined) === "ok");
    expect(allowed).toEqual(["create"]);
  });
});

describe("shared conversations", () => {
  const forOwners: readonly Action[] = [
    "audit",
    "share",
    "settings",
    "policy",
    "delete",
    "rewrite",
    "inspect",
    "members",
  ];
  const ofSpeaker: readonly Action[] = ["stop", "withdraw"];

  it.each(["member", "admin"] as const)("[U-14] a member of tier %s may do what is not kept for owners", (tier) => {
    for (const action of ACTIONS) {
      const isKept = [...forOwners, ...ofSpeaker].includes(action);
      expect(codeOf(person({ tier }), action, shared)).toBe(isKept ? "forbidden" : "ok");
    }
  });

  it.each(ofSpeaker)("[U-14] [W-40] %s is for whoever spoke, and for owners", (action) => {
    const about = (ofPrincipal: string | null) => ({ ...shared, ofPrincipal });
    expect(codeOf(person(), action, about("p_ada"))).toBe("ok");
    expect(codeOf(person(), action, about("p_bob"))).toBe("forbidden");
    expect(codeOf(person({ tier: "admin" }), action, about("p_bob"))).toBe("forbidden");
    expect(codeOf(person({ tier: "owner" }), action, about("p_bob"))).toBe("ok");
    expect(codeOf(person(), action, about(null))).toBe("ok");
    expect(codeOf(person(), action, { ...closed, ofPrincipal: "p_ada" })).toBe("not_found");
  });

  it.each(["member", "admin"] as const)(
    "[J-23] whoever is not in it, of tier %s, hears what no conversation says",
    (tier) => {
      for (const action of ACTIONS) {
        if (action === "create") continue;
        expect(mayAct(person({ tier }), action, closed, NOW)).toEqual(mayAct(person({ tier }), action, undefined, NOW));
      }
      expect(codeOf(person({ tier }), "create", closed)).toBe("not_found");
      const { members: _unknown, ...untold } = shared;
      expect(codeOf(person({ tier }), "read", untold)).toBe("not_found");
    },
  );

  it("[J-20] only an owner opens one, and nobody else learns from that whether an id is taken", () => {
    expect(codeOf(person({ tier: "owner" }), "share", undefined)).toBe("ok");
    for (const tier of ["member", "admin"] as const) {
      const verdicts = [undefined, own, foreign, shared, closed].map((one) =>
        mayAct(person({ tier }), "share", one, NOW),
      );
      expect(new Set(verdicts.map((verdict) => JSON.stringify(verdict))).size).toBe(1);
      expect(verdicts[0]).toMatchObject({ error: { code: "forbidden" } });
    }
  });

  it("[U-14] [W-31] whoever may read it may stay, whatever else is refused", () => {
    const refusals = [...forOwners, ...ofSpeaker].map((action) => mayAct(person(), action, shared, NOW));
    for (const verdict of refusals) expect(verdict).toMatchObject({ error: { mayStay: true } });
    for (const other of [foreign, closed]) {
      expect(mayAct(person(), "stop", other, NOW)).not.toHaveProperty("error.mayStay");
    }
    expect(mayAct(person({ disabled: true }), "stop", shared, NOW)).not.toHaveProperty("error.mayStay");
  });

  it("[F-14] whoever may read may fork", () => {
    for (const tier of ["member", "admin", "owner"] as const) {
      expect(codeOf(person({ tier }), "fork", shared)).toBe("ok");
    }
    expect(codeOf(person(), "fork", closed)).toBe("not_found");
    expect(codeOf(person({ tier: "guest" }), "fork", shared)).toBe("forbidden");
    expect(codeOf(person({ tier: "owner" }), "fork", foreign)).toBe("not_found");
    expect(codeOf(person(), "fork", own)).toBe("ok");
  });

  it("[U-14] [J-23] an owner may do everything, a member or not", () => {
    for (const action of ACTIONS) {
      for (const one of [shared, closed]) expect(codeOf(person({ tier: "owner" }), action, one)).toBe("ok");
    }
  });
});
