import * as z from "zod";

const where = {
  /** UUID of the conversation. */
  conversation: z.string(),
  title: z.string(),
  shared: z.boolean(),
  /** The person whose turn asks. */
  askedBy: z.string(),
  askedAt: z.number(),
  deadline: z.number(),
};

/** The card of a call that this person may decide about now, wherever it is. */
const waitingApproval = z.object({
  kind: z.literal("approval"),
  ...where,
  hold: z.string(),
  tool: z.string(),
  action: z.string(),
  minTier: z.string(),
});

/** A question that this person may answer now. */
const waitingQuestion = z.object({
  kind: z.literal("question"),
  ...where,
  /** Names the card in an answer. */
  prompt: z.string(),
  /** The beginning of what the agent asks, escaped. */
  words: z.string(),
});

const waitingCard = z.discriminatedUnion("kind", [waitingApproval, waitingQuestion]);
export type WaitingCard = z.infer<typeof waitingCard>;

/** `GET /api/v1/waiting`, oldest first. `more`: there are others. */
export const waitingShape = z.object({ cards: z.array(waitingCard), more: z.boolean() });
