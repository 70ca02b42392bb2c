import { describe, expect, it } from "vitest";
import { type AudienceQuestion, decideAudience, decidePress } from "../../../src/holds/press/audience.ts";
import { type ConversationNow, type PersonFacts, TIERS, type Tier } from "../../../src/people/facts.ts";
import { mayAct } from "../../../src/people/may-act.ts";
import { HoldWorld } from "../../kit/hold-world.ts";
import { tableSays } from "../audience-table.ts";

const NOW = 1_000;
const SPEAKER = "p_speaker";
const NAMED = "p_named";
const NAMED_ELSEWHERE = "p_named_elsewhere";
const OTHER = "p_other";

/** Somebody who presses, and whether they may enter: written from the design, not from the code that it judges. */
interface Kind {
  readonly who: string;
  readonly principalId: string;
  readonly tiers: readonly Tier[];
  readonly facts?: Partial<PersonFacts>;
  /** Into a shared conversation. */
  readonly enters: (tier: Tier) => boolean;
}

const IN_ROOM = [SPEAKER, NAMED, OTHER];
const asMember = (tier: Tier) => tier !== "guest";
const never = () => false;
const KINDS: readonly Kind[] = [
  { who: "the speaker", principalId: SPEAKER, tiers: TIERS, enters: asMember },
  { who: "a named approver", principalId: NAMED, tiers: TIERS, enters: asMember },
  {
    who: "a named approver who is not in the room",
    principalId: NAMED_ELSEWHERE,
    tiers: TIERS,
    enters: (tier) => tier === "owner",
  },
  { who: "another owner", principalId: OTHER, tiers: ["owner"], enters: asMember },
  { who: "an owner who is not in the room", principalId: "p_owner", tiers: ["owner"], enters: asMember },
  { who: "a member or admin of the room", principalId: OTHER, tiers: ["member", "admin"], enters: asMember },
  { who: "a member or admin elsewhere", principalId: "p_else", tiers: ["member", "admin"], enters: never },
  { who: "a guest", principalId: OTHER, tiers: ["guest"], enters: never },
  ...[SPEAKER, NAMED, OTHER].flatMap((principalId) => [
    { who: `${principalId}, switched off`, principalId, tiers: TIERS, facts: { disabled: true }, enters: never },
    { who: `${principalId}, unlinked`, principalId, tiers: TIERS, facts: { linked: false }, enters: never },
    { who: `${principalId}, signed out`, principalId, tiers: TIERS, facts: { sessionExpiresAt: NOW }, enters: never },
  ]),
];

interface Case {
  readonly question: AudienceQuestion;
  readonly conversation: ConversationNow;
  readonly kind: Kind;
  readonly tier: Tier;
}

describe("who may answer, and who may enter", () => {
  const cases = [...allCases()];

  it("[H-25] [H-150] [trap 22] is what table and entrance say, over every kind of person, card, tier and visibility", () => {
    const wrong = cases.filter((one) => actual(one) !== expected(one));
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(cases).toHaveLength(EXPECTED_CASES);
  });

  it("[H-25] every kind of person is refused somewhere; whoever may be allowed is allowed somewhere", () => {
    const met = new Map(
      KINDS.map(({ who }) => [who, new Set(cases.filter(({ kind }) => kind.who === who).map(actual))]),
    );
    const lets = KINDS.filter(({ who }) => met.get(who)?.has("allowed")).map(({ who }) => who);
    expect(lets).toEqual([
      "the speaker",
      "a named approver",
      "a named approver who is not in the room",
      "another owner",
      "an owner who is not in the room",
    ]);
    for (const said of met.values())
      expect([...said].some((one) => one === "refused" || one === "shut out")).toBe(true);
  });

  it("[H-150] says that only owners decide where nobody who is named may enter", () => {
    const approvers = [{ principalId: NAMED_ELSEWHERE, reachable: false }];
    const question = { visibility: "shared", minTier: "member", approval: null, approvers } as const;
    const audience = decideAudience({
      ...question,
      speaker: { principalId: SPEAKER, tier: "member", reachable: true },
    });
    const verdict = decidePress(audience, { principalId: SPEAKER, tier: "member" });
    expect(verdict).toEqual({ kind: "refused", reason: "only_owners" });
  });
});

describe("a card that names people", () => {
  it.each([
    ["who may enter", [], "Only the people named for this call and the owners may decide it."],
    ["who may not enter", [NAMED], "Only an owner may decide this."],
  ])("[H-150] %s: whoever is refused hears whose it is", async (_what, outside, message) => {
    const holds = new HoldWorld();
    holds.visibility = "shared";
    holds.describe = () => ({ text: "POST", approvers: [NAMED] });
    for (const id of outside) holds.outside.add(id);
    await holds.toCard();
    const answer = await holds.press("approve");
    expect(answer).toMatchObject({
      ok: false,
      error: { code: "forbidden", message: `${message} The card stays open.` },
    });
  });
});

const EXPECTED_CASES = 21_792;

function actual({ question, conversation, kind, tier }: Case): string {
  const { principalId, facts } = kind;
  const standing = { principalId, name: "N", tier, disabled: false, linked: true, sessionExpiresAt: NOW + 1, ...facts };
  if (!mayAct(standing, "decide", conversation, NOW).ok) return "shut out";
  return decidePress(decideAudience(question), { principalId, tier }).kind;
}

function expected({ question, kind, tier }: Case): string {
  const { principalId, enters } = kind;
  // In private there is nobody but its own person.
  const isTheirs = question.visibility === "shared" || principalId === SPEAKER;
  return isTheirs && enters(tier) ? tableSays(question, { principalId, tier }) : "shut out";
}

function* allCases(): Iterable<Case> {
  for (const visibility of ["private", "shared"] as const) {
    const conversation = { key: "web:1", visibility, owner: SPEAKER, members: IN_ROOM };
    for (const minTier of TIERS)
      for (const approval of ["speaker", null] as const)
        for (const names of [null, [], [NAMED], [NAMED_ELSEWHERE], [SPEAKER], [SPEAKER, NAMED]])
          for (const speakerTier of [...TIERS, null])
            for (const kind of KINDS)
              for (const tier of kind.principalId === SPEAKER && speakerTier ? [speakerTier] : kind.tiers) {
                const speaker = speakerTier && { principalId: SPEAKER, tier: speakerTier, reachable: true };
                const approvers =
                  names?.map((principalId) => ({ principalId, reachable: isOpenBySelf(visibility, principalId) })) ??
                  null;
                yield { question: { visibility, minTier, approval, approvers, speaker }, conversation, kind, tier };
              }
  }
}

/** The conversation is open to them whatever their tier. */
function isOpenBySelf(visibility: "private" | "shared", principalId: string): boolean {
  return visibility === "shared" ? IN_ROOM.includes(principalId) : principalId === SPEAKER;
}
