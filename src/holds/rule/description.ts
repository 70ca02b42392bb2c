import * as z from "zod";
import { err, ok, type Result } from "../../lib/result.ts";
import { TIERS, type Tier, tierAtLeast } from "../../people/facts.ts";

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
  /** Text for people to take along, at most 4,000 UTF-16 units. Copying it decides nothing. */
  readonly copy?: string;
  /** At most 200 UTF-16 units: a newer call of the same tool held under the same key withdraws this one while it waits. */
  readonly supersede?: string;
  /** Ids of files of this conversation that it is about, at most 16 of at most 10 MiB: an approval is bound to their bytes. */
  readonly files?: readonly string[];
}

/** Files that one held call may name. */
const MAX_HELD_FILES = 16;
const MAX_FILE_ID_UNITS = 64;
/** UTF-16 units of what a card offers to copy. */
const MAX_COPY_UNITS = 4_000;
/** UTF-16 units of a key under which a newer call withdraws an older one. */
export const MAX_SUPERSEDE_UNITS = 200;

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
  readonly copy: string | null;
  readonly supersede: string | null;
  readonly files: readonly string[];
}

/** What a rule may return, checked because rules come with plugins. A bad deadline is no fault here: it means expired. */
const descriptionSchema = z.object({
  text: z.string().trim().min(1),
  target: z.string().optional(),
  deadlineMs: z.unknown().optional(),
  minTier: z.enum(TIERS).optional(),
  approvers: z.array(z.string().min(1)).optional(),
  approval: z.literal("speaker").optional(),
  copy: z.string().min(1).max(MAX_COPY_UNITS).optional(),
  supersede: z.string().min(1).max(MAX_SUPERSEDE_UNITS).optional(),
  files: z.array(z.string().min(1).max(MAX_FILE_ID_UNITS)).max(MAX_HELD_FILES).optional(),
});

/** The description that a rule returned, or what is wrong with it. */
export function readDescription(value: unknown, ruleId: string, minTier: Tier): Result<HeldDescription, string> {
  const parsed = descriptionSchema.safeParse(value);
  if (!parsed.success) return err(faultOf(parsed.error));
  const { text, target, deadlineMs, approvers, approval, copy, supersede, files } = parsed.data;
  return ok({
    ruleId,
    text,
    target: target ?? null,
    deadlineMs,
    minTier: highestTier([minTier, parsed.data.minTier ?? "guest"]),
    approvers: approvers ?? null,
    approval: approval ?? null,
    copy: copy ?? null,
    supersede: supersede ?? null,
    files: files ?? [],
  });
}

function faultOf({ issues: [first] }: z.ZodError): string {
  const where = first?.path.join(".") ?? "";
  return `returned no valid description: ${where === "" ? "" : `${where}: `}${first?.message ?? "unreadable"}`;
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
    copy: null,
    supersede: null,
    files: [],
  };
}

/** The highest of some tiers; `guest` of none. */
export function highestTier(tiers: readonly Tier[]): Tier {
  return tiers.reduce<Tier>((highest, tier) => (tierAtLeast(tier, highest) ? tier : highest), "guest");
}
