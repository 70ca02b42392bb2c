import * as z from "zod";
import { AUDIT_EVENTS } from "./audit-events.ts";
import { MAX_PAGE_ENTRIES } from "./limits.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * One line of a conversation's audit: ids, digests, instants and words of fixed lists, and nothing that anybody wrote. Ids
 * of people are principals; whoever shows them looks names up.
 */
export const auditLineShape = z.strictObject({
  v: z.literal(1),
  /** Channel key. */
  conversation: z.string(),
  /** From 1, without gaps. */
  seq: z.number().int().positive(),
  /** `hash` of the line before; 64 zeros before the first. */
  prev: hash,
  event: z.enum(AUDIT_EVENTS),
  /** Milliseconds since 1970. */
  at: z.number(),
  surface: z.string(),
  /** Null in a line that is about no hold, as are all that follow from it. */
  hold: z.string().nullable(),
  tool: z.string().nullable(),
  rule: z.string().nullable(),
  digest: hash.nullable(),
  /** SHA-256 of the card as it was shown. */
  shown: hash.nullable(),
  minTier: z.string().nullable(),
  deadline: z.number().nullable(),
  /** Who asked for the call. */
  speaker: z.string().nullable(),
  /** The person who did it; null: nobody, or time, or the conversation itself. */
  by: z.string().nullable(),
  /** Their tier at that moment, where it counted. */
  tier: z.string().nullable(),
  /** Why, as words of a fixed list. */
  reason: z.string().nullable(),
  /** SHA-256 of the note that came with a decision. */
  note: hash.nullable(),
  /** Of refused presses and blocked calls that were only counted: how many. */
  count: z.number().int().positive().nullable(),
  /** SHA-256 of the canonical JSON of all of the above. */
  hash,
});
export type AuditLine = z.infer<typeof auditLineShape>;

/** Refused presses, and blocked calls (`hold` is then `turn:` and its number), that are counted and not yet told by a line. */
const countingShape = z.object({ hold: z.string(), by: z.string(), count: z.number() });

/** Lines of one chain, oldest first. */
const chainShape = z.object({
  lines: z.array(auditLineShape),
  /** The newest line. Absent: there is none. */
  head: z.object({ seq: z.number(), hash: z.string() }).optional(),
  counting: z.array(countingShape),
  /** `after` of the page that follows. */
  next: z.number().optional(),
});
export type ChainPage = z.infer<typeof chainShape>;

const pageLimit = z.coerce.number().int().min(1).max(MAX_PAGE_ENTRIES).default(50);

/** `GET /api/v1/conversations/:id/audit`: lines after a number, oldest first; as `ndjson` all of them, for download. */
export const chainQuery = z.strictObject({
  after: z.coerce.number().int().nonnegative().default(0),
  limit: pageLimit,
  format: z.enum(["json", "ndjson"]).default("json"),
});

/** Names of the people in some lines, as the directory has them now. Who was erased has none. */
const namesShape = z.record(z.string(), z.string());

export const chainAnswerShape = chainShape.extend({ names: namesShape });

/** `GET /api/v1/audit`: `before` is the `next` of the page before; `conversation` is a channel key, `by` a principal. */
export const auditQuery = z.strictObject({
  before: z.string().min(1).max(200).optional(),
  limit: pageLimit,
  conversation: z.string().min(1).max(200).optional(),
  event: z.enum(AUDIT_EVENTS).optional(),
  by: z.string().min(1).max(200).optional(),
});

export const auditPageShape = z.object({
  lines: z.array(auditLineShape),
  names: namesShape,
  next: z.string().optional(),
});
export type AuditPage = z.infer<typeof auditPageShape>;

/** `GET /api/v1/audit/export` */
export const auditExportQuery = z.strictObject({ conversation: z.string().min(1).max(200).optional() });

/** What an export holds beside lines: first the newest line of each chain, last how many lines there are. */
export const exportHeadShape = z.strictObject({
  head: z.strictObject({ conversation: z.string(), seq: z.number().int(), hash }),
});
export const exportEndShape = z.strictObject({ end: z.strictObject({ lines: z.number().int() }) });
