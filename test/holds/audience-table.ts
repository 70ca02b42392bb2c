import type { AudienceQuestion, Presser } from "../../src/holds/press/audience.ts";
import type { Tier } from "../../src/people/facts.ts";

/** `-`: the column does not apply, the next one that does decides. */
type Cell = "yes" | "no" | "-" | "tier ok" | "named in tier, or owner" | "unavailable";

type Row =
  | "shared plain, speaker in tier"
  | "shared plain, speaker below"
  | "shared plain, no speaker here"
  | "shared, approvers"
  | "shared, no approver reachable"
  | "shared, speaker only"
  | "shared, speaker only among approvers"
  | "private plain"
  | "private, speaker among approvers or owner"
  | "nobody";

/** What a press comes to. */
export type Says = "allowed" | "refused" | "unavailable";

/**
 * "Who may answer" of the design of holds, as data: for the speaker, a named approver, another owner, anyone else. Written
 * from the design and not from the code that it judges.
 */
export const TABLE: Readonly<Record<Row, readonly [Cell, Cell, Cell, Cell]>> = {
  "shared plain, speaker in tier": ["yes", "-", "yes", "no"],
  "shared plain, speaker below": ["no", "-", "yes", "no"],
  "shared plain, no speaker here": ["-", "-", "yes", "no"],
  "shared, approvers": ["named in tier, or owner", "tier ok", "yes", "no"],
  "shared, no approver reachable": ["-", "-", "yes", "no"],
  "shared, speaker only": ["yes", "-", "no", "no"],
  "shared, speaker only among approvers": ["yes", "no", "no", "no"],
  "private plain": ["yes", "-", "no", "no"],
  "private, speaker among approvers or owner": ["yes", "no", "no", "no"],
  nobody: ["unavailable", "unavailable", "unavailable", "unavailable"],
};

const rank = (tier: Tier) => ["guest", "member", "admin", "owner"].indexOf(tier);

/** What the table says of this person's press on such a card. */
export function tableSays(question: AudienceQuestion, presser: Presser): Says {
  const inTier = rank(presser.tier) >= rank(question.minTier);
  switch (cellOf(question, presser)) {
    case "yes":
      return "allowed";
    case "tier ok":
      return inTier ? "allowed" : "refused";
    case "named in tier, or owner":
      return (isNamed(question, presser) && inTier) || presser.tier === "owner" ? "allowed" : "refused";
    case "unavailable":
      return "unavailable";
    default:
      return "refused";
  }
}

/** The first cell of the row that applies to this person. */
export function cellOf(question: AudienceQuestion, presser: Presser): Cell {
  const row = TABLE[rowOf(question)];
  const isSpeaker = presser.principalId === question.speaker?.principalId;
  const applies = [isSpeaker, isNamed(question, presser), presser.tier === "owner", true];
  return row.find((cell, column) => applies[column] && cell !== "-") ?? "no";
}

export function rowOf({ visibility, speaker, minTier, approvers, approval }: AudienceQuestion): Row {
  const here = speaker !== null && speaker.reachable;
  const inTier = speaker !== null && rank(speaker.tier) >= rank(minTier);
  const listed =
    approvers?.some((one) => one.principalId === speaker?.principalId) === true || speaker?.tier === "owner";
  if (visibility === "private") {
    if (!here || !inTier) return "nobody";
    if (approvers === null) return "private plain";
    return listed ? "private, speaker among approvers or owner" : "nobody";
  }
  if (approval === "speaker") {
    if (!here || !inTier) return "nobody";
    if (approvers === null) return "shared, speaker only";
    return listed ? "shared, speaker only among approvers" : "nobody";
  }
  if (approvers !== null)
    return approvers.some((one) => one.reachable) ? "shared, approvers" : "shared, no approver reachable";
  if (!here) return "shared plain, no speaker here";
  return inTier ? "shared plain, speaker in tier" : "shared plain, speaker below";
}

function isNamed({ approvers }: AudienceQuestion, { principalId }: Presser): boolean {
  return approvers?.some((one) => one.principalId === principalId && one.reachable) === true;
}
