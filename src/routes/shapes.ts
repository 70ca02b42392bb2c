import * as z from "zod";
import { answerBody, decideBody, givenAnswer, sendBody, withdrawBody } from "../protocol/frames.ts";
import { MAX_PAGE_ENTRIES, MAX_QUESTIONS } from "../protocol/limits.ts";
import type { FileRef, Usage } from "../protocol/message.ts";
import type { Notice } from "../protocol/notices.ts";
import type { ConversationSummary, Me, MembersList, OwnersList } from "../protocol/rest.ts";
import type { Spending } from "../protocol/spending.ts";

/** Bodies that a frame knows too. REST refuses unknown keys, where a socket ignores them. */
export const strictSend = z.strictObject(sendBody.shape);
export const strictDecide = z.strictObject({
  ...decideBody.shape,
  always: z.strictObject(decideBody.shape.always.unwrap().shape).optional(),
});
export const strictAnswer = z.strictObject({
  ...answerBody.shape,
  answers: z.array(z.strictObject(givenAnswer.shape).nullable()).min(1).max(MAX_QUESTIONS),
});
export const strictWithdraw = z.strictObject(withdrawBody.shape);
/** A body or a query that says nothing. */
export const nothing = z.strictObject({});

export const pageLimit = z.coerce.number().int().min(1).max(MAX_PAGE_ENTRIES).default(50);
/** An id in a path or a query. */
export const idShape = z.coerce.number().int().positive();
export const entriesQuery = z.strictObject({ before: idShape.optional(), limit: pageLimit });

export const usageShape = z.object({
  input: z.number().default(0),
  output: z.number().default(0),
  cachedRead: z.number().default(0),
  cachedWrite: z.number().default(0),
  costMicros: z.number().default(0),
}) satisfies z.ZodType<Usage>;

const summaryShape = z.object({
  id: z.uuid(),
  visibility: z.enum(["private", "shared"]),
  title: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  state: z.enum(["idle", "running", "waiting", "failed"]),
  usage: usageShape,
  unread: z.boolean(),
}) satisfies z.ZodType<ConversationSummary>;

export const listShape = z.object({ conversations: z.array(summaryShape), next: z.string().optional() });

export const meShape = z.object({
  principal: z.object({
    id: z.string(),
    name: z.string(),
    tier: z.string(),
    formerly: z.array(z.string()).optional(),
  }),
  models: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      thinking: z.array(z.enum(["off", "low", "medium", "high"])),
      images: z.boolean(),
      demo: z.boolean(),
    }),
  ),
  defaultModel: z.string(),
  personas: z.array(z.object({ kind: z.string(), label: z.string() })),
  defaultPersona: z.string(),
  limits: z.object({
    textUnits: z.number(),
    filesPerMessage: z.number(),
    fileBytes: z.number(),
    titleUnits: z.number(),
  }),
}) satisfies z.ZodType<Me>;

const noticeShape = z.object({
  id: z.string(),
  at: z.number(),
  text: z.string(),
  link: z.string().nullable(),
  read: z.boolean(),
}) satisfies z.ZodType<Notice>;
export const noticesShape = z.object({ notices: z.array(noticeShape), unread: z.number() });

const capsShape = z.object({ perDay: z.number().nullable(), perMonth: z.number().nullable() });
export const spendingShape = z.object({
  day: z.string(),
  today: z.number(),
  month: z.number(),
  reserved: z.number(),
  caps: capsShape,
}) satisfies z.ZodType<Spending>;
export const allSpendingShape = z.object({
  day: z.string(),
  today: z.number(),
  month: z.number(),
  caps: capsShape,
  people: z.array(z.object({ principalId: z.string(), name: z.string(), today: z.number(), month: z.number() })),
});

export const fileShape = z.object({
  id: z.string(),
  name: z.string(),
  mime: z.string(),
  bytes: z.number(),
}) satisfies z.ZodType<FileRef>;

export const createdShape = z.object({ id: z.uuid(), created: z.boolean() });
export const receiptShape = z.object({
  id: z.string(),
  input: z.string(),
  status: z.enum(["placed", "queued", "done", "unanswered"]),
});
export const outcomesShape = z.object({
  outcomes: z.array(
    z.object({ hold: z.string(), error: z.object({ code: z.string(), message: z.string() }).optional() }),
  ),
});
const viewEntryShape = z.looseObject({ id: z.number(), kind: z.string(), at: z.number() });
export const entryShape = viewEntryShape;
export const ownersShape = z.object({
  owners: z.array(z.object({ id: z.string(), name: z.string() })),
}) satisfies z.ZodType<OwnersList>;
export const membersShape = z.object({
  members: z.array(z.object({ id: z.string(), name: z.string(), addedBy: z.string(), addedAt: z.number() })),
}) satisfies z.ZodType<MembersList>;
export const entriesShape = z.object({ entries: z.array(viewEntryShape), earlier: z.boolean() });
export const leftShape = z.object({ entries: z.array(viewEntryShape) });
const messageShape = z.looseObject({ role: z.enum(["user", "assistant", "tool", "system"]) });
export const sentRequestShape = z.object({
  model: z.string(),
  thinking: z.enum(["off", "low", "medium", "high"]),
  system: z.string(),
  volatile: z.string(),
  tools: z.array(z.object({ name: z.string(), description: z.string(), parameters: z.unknown() })),
  messages: z.array(messageShape),
  cutoff: z.number(),
});
export const replayShape = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), message: messageShape, usage: usageShape, ms: z.number() }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);
export const snapshotShape = z.object({
  rev: z.number(),
  view: z.looseObject({ entries: z.array(viewEntryShape) }),
  live: z.array(z.looseObject({ task: z.number(), attempt: z.number(), channel: z.string(), text: z.string() })),
  choices: z.array(z.object({ hold: z.string(), may: z.array(z.string()), why: z.string().optional() })),
});
export const errorShape = z.object({
  error: z.object({ code: z.string(), message: z.string(), ref: z.string().optional() }),
});
