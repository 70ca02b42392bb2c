import { describe, expect, it } from "vitest";
import { type AudienceQuestion, decideAudience, decidePress, type Presser } from "../../../src/holds/press/audience.ts";
import { TIERS, type Tier } from "../../../src/people/facts.ts";
import { lowerTier } from "../../../src/people/other-ids.ts";
import { tableSays } from "../audience-table.ts";

const SURVIVOR = "p_survivor";
const FORMER = "p_former";
const OTHER = "p_other";

interface Case {
  readonly question: AudienceQuestion;
  readonly presser: Presser;
  readonly formerTier: Tier;
}

const says = ({ question, presser }: Case) => decidePress(decideAudience(question), presser).kind;

/** The same card, before two became one: each of them presses as who they were. */
function apart({ question, presser, formerTier }: Case): readonly string[] {
  const { speaker } = question;
  const own = speaker && { principalId: speaker.principalId, tier: speaker.tier, reachable: speaker.reachable };
  const before = { ...question, speaker: own };
  return [
    tableSays(before, { principalId: SURVIVOR, tier: presser.tier }),
    tableSays(before, { principalId: FORMER, tier: lowerTier(formerTier, presser.tier) }),
  ];
}

/** Two ids stand for one person: the card names them by one of them, with the lower tier unless it names the survivor. */
function asOne({ question, presser, formerTier }: Case): string {
  const ids = [question.speaker?.principalId, ...(question.approvers ?? []).map(({ principalId }) => principalId)];
  const tier = ids.includes(SURVIVOR) ? presser.tier : lowerTier(formerTier, presser.tier);
  const one = (id: string) => (id === FORMER ? SURVIVOR : id);
  const speaker = question.speaker && { ...question.speaker, principalId: one(question.speaker.principalId) };
  const approvers = question.approvers?.map((each) => ({ ...each, principalId: one(each.principalId) })) ?? null;
  return tableSays({ ...question, speaker, approvers }, { principalId: presser.principalId, tier });
}

describe("who may answer once two are one", () => {
  const cases = [...allCases()];

  it("[J-66] nobody may who could not as one of the two, or as whom the card names by either", () => {
    const wider = cases.filter(
      (one) => says(one) === "allowed" && !apart(one).includes("allowed") && asOne(one) !== "allowed",
    );
    expect(wider.slice(0, 3)).toEqual([]);
    expect(cases).toHaveLength(16_128);
  });

  it("[J-66] whoever could as one of the two still may", () => {
    const lost = cases.filter((one) => says(one) !== "allowed" && apart(one).includes("allowed"));
    expect(lost.slice(0, 3)).toEqual([]);
  });

  it("[J-66] where the former's id is the only reason, the lower tier decides, for each pair of tiers", () => {
    for (const now of TIERS) {
      for (const then of TIERS) {
        for (const minTier of TIERS) {
          const lower = lowerTier(now, then);
          const presser = { principalId: SURVIVOR, tier: now, otherIds: [{ id: FORMER, tier: then }] };
          const speaker = { principalId: FORMER, tier: lower, reachable: true };
          const isInTier = TIERS.indexOf(lower) >= TIERS.indexOf(minTier);
          const ask = { minTier, approvers: null, approval: "speaker", speaker } as const;
          const own = { question: { ...ask, visibility: "private" }, presser, formerTier: then } as const;
          expect(says(own)).toBe(isInTier ? "allowed" : "unavailable");
          const approvers = [{ principalId: FORMER, reachable: true }];
          const named = { visibility: "shared", minTier, approvers, approval: null, speaker: null } as const;
          const expected = isInTier || now === "owner" ? "allowed" : "refused";
          expect(says({ question: named, presser, formerTier: then })).toBe(expected);
        }
      }
    }
  });
});

function* allCases(): Iterable<Case> {
  for (const visibility of ["private", "shared"] as const)
    for (const now of TIERS)
      for (const formerTier of TIERS)
        for (const minTier of TIERS)
          for (const approval of ["speaker", null] as const)
            for (const speaker of speakers(now, formerTier))
              for (const approvers of approverLists())
                yield {
                  question: { visibility, speaker, minTier, approval, approvers },
                  presser: presserOf(now, formerTier),
                  formerTier,
                };
}

function presserOf(tier: Tier, then: Tier): Presser {
  return { principalId: SURVIVOR, tier, otherIds: [{ id: FORMER, tier: then }] };
}

/** As the directory says who a call runs for: by the id that it is stored under. */
function speakers(now: Tier, then: Tier): readonly AudienceQuestion["speaker"][] {
  const lower = lowerTier(now, then);
  return [
    null,
    { ...presserOf(now, then), reachable: true },
    { ...presserOf(now, then), reachable: false },
    { principalId: FORMER, tier: lower, otherIds: [{ id: SURVIVOR, tier: lower }], reachable: true },
    { principalId: FORMER, tier: lower, otherIds: [{ id: SURVIVOR, tier: lower }], reachable: false },
    { principalId: OTHER, tier: now, reachable: true },
    { principalId: OTHER, tier: then, reachable: true },
  ];
}

function approverLists(): readonly AudienceQuestion["approvers"][] {
  const [survivor, former, other] = [SURVIVOR, FORMER, OTHER].map((principalId) => ({ principalId, reachable: true }));
  if (!survivor || !former || !other) return [];
  return [
    null,
    [],
    [survivor],
    [former],
    [other],
    [{ ...former, reachable: false }],
    [survivor, former],
    [former, other],
    [survivor, other],
  ];
}
