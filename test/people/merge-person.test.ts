import { describe, expect, it } from "vitest";
import { MAX_IDENTITIES } from "../../src/people/max-identities.ts";
import { mayBeMerged } from "../../src/people/merge-person.ts";
import { MAX_FORMER_IDS } from "../../src/people/other-ids.ts";
import type { PersonRecord } from "../../src/store/people.ts";

const BY_CODE = "setup:owner";
const identity = (id: string, principalId: string) => ({ id, principalId, linkedAt: 1, display: "", lastSeenAt: null });
const former = (survivor: string, finishedAt: number | null = 1) => ({
  former: `p_${Math.random()}`,
  survivor,
  tier: "member" as const,
  mergedAt: 1,
  orderedBy: "p_olga",
  finishedAt,
});
const many = <T>(count: number, make: (nth: number) => T) => Array.from({ length: count }, (_, nth) => make(nth));

function person(id: string, changes: Partial<PersonRecord> = {}): PersonRecord {
  return {
    id,
    name: id,
    tier: "member",
    createdAt: 1,
    disabledAt: null,
    lastSeenAt: null,
    configuredOwner: false,
    erasedAt: null,
    identities: [identity(`oidc:${id}`, id)],
    mergedInto: null,
    formers: [],
    ...changes,
  };
}

interface Case {
  readonly person?: Partial<PersonRecord>;
  readonly into?: Partial<PersonRecord>;
  readonly otherOwners?: number;
  readonly configured?: readonly string[];
}

function says({ person: one, into, otherOwners = 1, configured = [] }: Case): string {
  const verdict = mayBeMerged(person("p_bob", one), person("p_ada", into), {
    configured,
    byCode: BY_CODE,
    otherOwners,
  });
  return verdict.ok ? "ok" : `${verdict.error.code}: ${verdict.error.message}`;
}

const merged = { ...former("p_x"), former: "p_bob", name: "X" };

describe("whether two may become one", () => {
  it("[J-62] two who are there may", () => {
    expect(says({})).toBe("ok");
    expect(says({ person: { tier: "owner" } })).toBe("ok");
    expect(says({ person: { configuredOwner: true, tier: "owner" }, into: { configuredOwner: true } })).toBe("ok");
    expect(says({ person: { identities: [identity(BY_CODE, "p_bob")] }, into: { tier: "owner" } })).toBe("ok");
  });

  const refused: readonly (readonly [string, Case, RegExp])[] = [
    ["with oneself", { into: { id: "p_bob" } }, /^bad_request: .*name somebody else/],
    ["erased", { person: { erasedAt: 1 } }, /^conflict: .*erased/],
    ["with somebody erased", { into: { erasedAt: 1 } }, /^conflict: .*erased/],
    ["a former already", { person: { mergedInto: merged, disabledAt: 1 } }, /^conflict: .*is changed there/],
    ["with a former", { into: { mergedInto: merged, disabledAt: 1 } }, /^conflict: .*is changed there/],
    ["switched off", { person: { disabledAt: 1 } }, /^conflict: .*Switch them on first/],
    ["with somebody switched off", { into: { disabledAt: 1 } }, /^conflict: .*Switch them on first/],
    ["somebody to whom things move", { person: { formers: [former("p_bob", null)] } }, /^conflict: .*Try again/],
    ["an owner by configuration", { person: { configuredOwner: true } }, /^forbidden: .*people\.owners/],
    ["one whom it names and who has not come since", { configured: ["oidc:p_bob"] }, /^forbidden: .*people\.owners/],
    ["an owner by code", { person: { identities: [identity(BY_CODE, "p_bob")] } }, /^forbidden: .*the other way round/],
    ["the last owner", { person: { tier: "owner" }, otherOwners: 0 }, /^forbidden: .*only owner/],
  ];

  it.each(refused)("[J-62] %s is refused, with what would help", (_, one, words) => {
    expect(says(one)).toMatch(words);
  });

  it("[J-62] 10 identities together are enough, 11 are too many", () => {
    const having = (count: number): Case => ({
      into: { identities: many(count, (nth) => identity(`oidc:${nth}`, "p_ada")) },
    });
    expect(says(having(MAX_IDENTITIES - 1))).toBe("ok");
    expect(says(having(MAX_IDENTITIES))).toMatch(
      /^too_large: .* 11 identities, the limit is 10\. Unlink some first\.$/,
    );
  });

  it("[J-62] 10 former ids together are enough, 11 are too many", () => {
    const having = (count: number): Case => ({
      person: { formers: [former("p_bob")] },
      into: { formers: many(count, () => former("p_ada")) },
    });
    expect(says(having(MAX_FORMER_IDS - 2))).toBe("ok");
    expect(says(having(MAX_FORMER_IDS - 1))).toMatch(/^too_large: .* 11 former ids, the limit is 10/);
  });
});
