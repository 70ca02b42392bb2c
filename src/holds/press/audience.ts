import { type OtherId, type Tier, tierAtLeast } from "../../people/facts.ts";
import { tierAs } from "../../people/other-ids.ts";

/** A call on a card, as far as it decides who may answer. Tiers are the directory's of this moment. */
export interface AudienceQuestion {
  readonly visibility: "private" | "shared";
  /** Null: nobody spoke. `reachable`: the surface knows an identity of theirs. */
  readonly speaker: (Presser & { readonly reachable: boolean }) | null;
  readonly minTier: Tier;
  /** Named principals and whether the surface knows an identity of theirs. Null: nobody is named. */
  readonly approvers: readonly { readonly principalId: string; readonly reachable: boolean }[] | null;
  readonly approval: "speaker" | null;
}

/** Who may answer a card. Nobody at all: it is `unavailable` and shown to no one. */
export interface Audience {
  /** The speaker's principal, on any of their identities. */
  readonly speaker: string | null;
  readonly approvers: readonly string[];
  readonly owners: boolean;
  readonly minTier: Tier;
}

/** A person with the tier of this moment: whoever answers. */
export interface Presser {
  readonly principalId: string;
  readonly tier: Tier;
  readonly otherIds?: readonly OtherId[];
}

/** Why a press does not count. The card stays as it is. */
export type PressRefusal = "below_tier" | "only_speaker" | "only_approvers" | "only_owners" | "not_asked";

export type PressVerdict =
  | { readonly kind: "allowed" }
  | { readonly kind: "refused"; readonly reason: PressRefusal }
  | { readonly kind: "unavailable" };

/** Who may answer: the table of the design of holds, "Who may answer". */
export function decideAudience(question: AudienceQuestion): Audience {
  const { visibility, approvers, approval, minTier } = question;
  if (visibility === "private" || approval === "speaker") {
    return { speaker: decideSpeakerAlone(question), approvers: [], owners: false, minTier };
  }
  if (approvers !== null) {
    const reachable = approvers.filter((one) => one.reachable).map((one) => one.principalId);
    return { speaker: null, approvers: reachable, owners: true, minTier };
  }
  return { speaker: findSpeakerInTier(question), approvers: [], owners: true, minTier };
}

/** False when nobody may answer. */
export function hasAudience({ speaker, approvers, owners }: Audience): boolean {
  return speaker !== null || approvers.length > 0 || owners;
}

/** Whether this person's answer counts, approving and declining alike. */
export function decidePress(audience: Audience, presser: Presser): PressVerdict {
  if (!hasAudience(audience)) return { kind: "unavailable" };
  if (audience.owners && presser.tier === "owner") return { kind: "allowed" };
  const asked = audience.speaker === null ? audience.approvers : [audience.speaker, ...audience.approvers];
  const tiers = asked.flatMap((id) => tierAs(presser, id) ?? []);
  if (tiers.length === 0) return { kind: "refused", reason: refusalFor(audience) };
  const isInTier = tiers.some((tier) => tierAtLeast(tier, audience.minTier));
  return isInTier ? { kind: "allowed" } : { kind: "refused", reason: "below_tier" };
}

/** Where the speaker alone may answer: named approvers narrow that, and owners get no say of their own. */
function decideSpeakerAlone(question: AudienceQuestion): string | null {
  const speaker = findSpeakerInTier(question);
  const { approvers, minTier, speaker: person } = question;
  if (speaker === null || person === null || approvers === null || person.tier === "owner") return speaker;
  const tiers = approvers.flatMap(({ principalId }) => tierAs(person, principalId) ?? []);
  return tiers.some((tier) => tierAtLeast(tier, minTier)) ? speaker : null;
}

function findSpeakerInTier({ speaker, minTier }: AudienceQuestion): string | null {
  return speaker?.reachable && tierAtLeast(speaker.tier, minTier) ? speaker.principalId : null;
}

function refusalFor(audience: Audience): PressRefusal {
  if (!audience.owners) return "only_speaker";
  if (audience.approvers.length > 0) return "only_approvers";
  return audience.speaker === null ? "only_owners" : "not_asked";
}
