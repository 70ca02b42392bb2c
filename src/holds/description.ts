import * as z from "zod";
import { TIERS, type Tier, tierAtLeast } from "../people/facts.ts";

/** What a hold rule says of a call. */
export interface HoldDescription {
  /** What the call would do, one line. */
  readonly text: string;
  /** Whom or what it touches. */
  readonly target?: string;
  /** How long the card stays answerable. Absent: 24 h; unreadable: expired at once. */
  readonly deadlineMs?: number;
  readonly minTier?: Tier;
  /** Principals who may answer instead of the speaker. */
  readonly approvers?: readonly string[];
  /** Only the speaker may answer. */
  readonly approval?: "speaker";
}

/** A description with everything decided that an approval is bound to. */
export interface HeldDescription {
  readonly ruleId: string;
  readonly text: string;
  readonly target: string | null;
  /** As the rule gave it; {@link holdDeadline} reads it. */
  readonly deadlineMs: unknown;
  readonly minTier: Tier;
  readonly approvers: readonly string[] | null;
  readonly approval: "speaker" | null;
}

/** What a rule may return, checked because rules come with plugins. A bad deadline is no fault here: it means expired. */
const descriptionSchema = z.object({
  text: z.string().trim().min(1),
  target: z.string().optional(),
  deadlineMs: z.unknown().optional(),
  minTier: z.enum(TIERS).optional(),
  approvers: z.array(z.string().min(1)).optional(),
  approval: z.literal("speaker").optional(),
});

/** The description that a rule returned, or undefined when it is none. */
export function readDescription(value: unknown, ruleId: string, minTier: Tier): HeldDescription | undefined {
  const parsed = descriptionSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { text, target, deadlineMs, approvers, approval } = parsed.data;
  return {
    ruleId,
    text,
    target: target ?? null,
    deadlineMs,
    minTier: highestTier([minTier, parsed.data.minTier ?? "guest"]),
    approvers: approvers ?? null,
    approval: approval ?? null,
  };
}

/** The description of a call that its rule could not describe. */
export function genericDescription(tool: string, ruleId: string, minTier: Tier): HeldDescription {
  return {
    ruleId,
    text: `run ${tool}`,
    target: null,
    deadlineMs: undefined,
    minTier,
    approvers: null,
    approval: null,
  };
}

/** The highest of some tiers; `guest` of none. */
export function highestTier(tiers: readonly Tier[]): Tier {
  return tiers.reduce<Tier>((highest, tier) => (tierAtLeast(tier, highest) ? tier : highest), "guest");
}
