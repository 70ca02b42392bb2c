import { describe, expect, it } from "vitest";
import {
  type AudienceQuestion,
  decideAudience,
  decidePress,
  hasAudience,
  type Presser,
} from "../../../src/holds/press/audience.ts";
import { TIERS, type Tier } from "../../../src/people/facts.ts";
import { cellOf, rowOf, TABLE, tableSays } from "../audience-table.ts";

const SPEAKER = "p_speaker";
const NAMED = "p_named";
const OTHER = "p_other";
const rank = (tier: Tier) => ["guest", "member", "admin", "owner"].indexOf(tier);

interface Case {
  readonly question: AudienceQuestion;
  readonly presser: Presser;
}

describe("who may answer", () => {
  const cases = [...allCases()];

  it("[H-25] [trap 27] is what the design's table says, over the whole product", () => {
    const wrong = cases.filter(({ question, presser }) => actual(question, presser) !== tableSays(question, presser));
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(cases).toHaveLength(7_680);
  });

  it("[H-25] every row of the table is met, and every cell that applies to somebody", () => {
    const met = new Set(cases.map(({ question }) => rowOf(question)));
    expect(met).toEqual(new Set(Object.keys(TABLE)));
    const cells = new Set(cases.map(({ question, presser }) => cellOf(question, presser)));
    expect(cells).toEqual(new Set(["yes", "no", "tier ok", "named in tier, or owner", "unavailable"]));
  });

  it("[H-26] in private is the speaker or no one", () => {
    const others = cases.filter(
      ({ question, presser }) => question.visibility === "private" && presser.principalId !== SPEAKER,
    );
    expect(others.length).toBeGreaterThan(1_000);
    expect(others.filter(({ question, presser }) => actual(question, presser) === "allowed")).toEqual([]);
  });

  it("[H-27] in private below the minimum tier is nobody, for each pair of tiers", () => {
    for (const tier of TIERS) {
      for (const minTier of TIERS) {
        const audience = decideAudience(ask({ visibility: "private", minTier, speaker: speaker(tier) }));
        expect(hasAudience(audience)).toBe(rank(tier) >= rank(minTier));
      }
    }
  });

  it("[H-27] [trap 27] in private with others named is nobody", () => {
    const approvers = [{ principalId: NAMED, reachable: true }];
    expect(hasAudience(decideAudience(ask({ visibility: "private", approvers })))).toBe(false);
  });

  it.each([
    ["the speaker who is below in private", { visibility: "private", minTier: "admin" }, SPEAKER, "member", undefined],
    ["an owner in private", { visibility: "private" }, OTHER, "owner", "only_speaker"],
    ["an owner of a speaker-only card", { approval: "speaker" }, OTHER, "owner", "only_speaker"],
    ["a speaker below the tier", { minTier: "admin" }, SPEAKER, "member", "only_owners"],
    [
      "a named approver below the tier",
      { minTier: "admin", approvers: [{ principalId: NAMED, reachable: true }] },
      NAMED,
      "member",
      "below_tier",
    ],
    [
      "the speaker where others are named",
      { approvers: [{ principalId: NAMED, reachable: true }] },
      SPEAKER,
      "member",
      "only_approvers",
    ],
    ["an admin nobody asked", {}, OTHER, "admin", "not_asked"],
  ] as const)("[H-28] says why to %s", (_who, changes, principalId, tier, reason) => {
    const verdict = decidePress(decideAudience(ask(changes)), { principalId, tier });
    expect(verdict).toEqual(reason === undefined ? { kind: "unavailable" } : { kind: "refused", reason });
  });
});

function ask(changes: Partial<AudienceQuestion>): AudienceQuestion {
  return {
    visibility: "shared",
    speaker: speaker("member"),
    minTier: "member",
    approvers: null,
    approval: null,
    ...changes,
  };
}

function speaker(tier: Tier, reachable = true) {
  return { principalId: SPEAKER, tier, reachable };
}

function actual(question: AudienceQuestion, presser: Presser): string {
  return decidePress(decideAudience(question), presser).kind;
}

function* allCases(): Iterable<Case> {
  const speakers = [null, ...TIERS.flatMap((tier) => [speaker(tier), speaker(tier, false)])];
  for (const visibility of ["private", "shared"] as const)
    for (const who of speakers)
      for (const minTier of TIERS)
        for (const approval of ["speaker", null] as const)
          for (const approvers of approverLists(who?.reachable ?? false))
            for (const presser of pressers(who?.tier))
              yield { question: { visibility, speaker: who, minTier, approval, approvers }, presser };
}

function approverLists(speakerReachable: boolean): readonly AudienceQuestion["approvers"][] {
  const self = { principalId: SPEAKER, reachable: speakerReachable };
  const named = { principalId: NAMED, reachable: true };
  return [null, [], [named], [{ ...named, reachable: false }], [self], [self, named]];
}

/** The speaker with the tier they have, and everybody else with every tier. */
function pressers(speakerTier: Tier | undefined): readonly Presser[] {
  const others = [NAMED, OTHER].flatMap((principalId) => TIERS.map((tier) => ({ principalId, tier })));
  return speakerTier === undefined ? others : [{ principalId: SPEAKER, tier: speakerTier }, ...others];
}
