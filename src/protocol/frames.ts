import * as z from "zod";
import { isDeeper } from "../lib/is-deeper.ts";
import type { CardChoices } from "./cards.ts";
import {
  MAX_ALLOW_HOURS,
  MAX_CLIENT_ID_UNITS,
  MAX_DECISIONS,
  MAX_FILES_PER_MESSAGE,
  MAX_INPUT_DEPTH,
  MAX_NOTE_UNITS,
  MAX_OPTIONS,
  MAX_OWN_ANSWER_UNITS,
  MAX_QUESTIONS,
  MAX_SHOWN_LABEL_UNITS,
  MAX_TEXT_UNITS,
  MAX_TOKEN_CHARACTERS,
} from "./limits.ts";
import type { Op } from "./ops.ts";
import { unitsText } from "./units.ts";
import type { View, ViewEntry } from "./view.ts";

const clientId = unitsText(MAX_CLIENT_ID_UNITS, 1);
const entryId = z.number().int().positive();

const callInput = z.unknown().refine((input) => !isDeeper(input, MAX_INPUT_DEPTH), {
  error: `nests deeper than ${MAX_INPUT_DEPTH} levels: flatten it`,
});

/** What a person sends: over the socket as `send`, over REST as a body. */
export const sendBody = z.object({
  /** The client's own id of this message; a repeat returns the first receipt. */
  id: clientId,
  text: unitsText(MAX_TEXT_UNITS),
  attachments: z.array(unitsText(64, 1)).max(MAX_FILES_PER_MESSAGE).optional(),
  /** `queue` waits for the running turn to end, `steer` joins it. Default: `steer` for the running turn's own speaker. */
  mode: z.enum(["queue", "steer"]).optional(),
  /** Edit and retry: the conversation first goes back to this entry (0: to its start), in the same commit. */
  rewindTo: z.number().int().nonnegative().optional(),
});

export const decideBody = z.object({
  hold: unitsText(64, 1),
  digest: unitsText(64, 64),
  decision: z.enum(["approve", "decline"]),
  note: unitsText(MAX_NOTE_UNITS).optional(),
  /** Approve with these arguments instead of the card's: any JSON, bounded by what a frame or a body may have. */
  input: callInput.optional(),
  /** With an approval: calls like this one run without being asked about for so long. */
  always: z
    .object({
      /** Names of arguments that may have any value. All others keep the one that was shown. */
      any: z.array(unitsText(200)).max(32),
      hours: z.number().int().min(1).max(MAX_ALLOW_HOURS),
    })
    .optional(),
});

const cardRef = z.object({ hold: unitsText(64, 1), digest: unitsText(64, 64) });

/** An explicit list of cards, as they were seen. */
function cardList<C extends z.ZodType<{ readonly hold: string }>>(card: C) {
  return z
    .array(card)
    .min(1)
    .max(MAX_DECISIONS)
    .refine((cards) => new Set(cards.map(({ hold }) => hold)).size === cards.length, { error: "names a card twice" });
}

/** The same decision about each card of an explicit list. What is not on it stays as it is. */
export const decideManyBody = z.object({
  cards: cardList(cardRef),
  decision: z.enum(["approve", "decline"]),
  note: unitsText(MAX_NOTE_UNITS).optional(),
});

/** `POST …/decisions`: as the frame, with no unknown key anywhere. */
export const decisionsBody = z.strictObject({ ...decideManyBody.shape, cards: cardList(cardRef.strict()) });

/** `POST …/holds/:hold/extend`: milliseconds since 1970. */
export const extendBody = z.strictObject({ until: z.number().int().positive() });

/** `POST …/holds/:hold/hand-over`: an owner's principal. */
export const handOverBody = z.strictObject({ to: unitsText(64, 1) });

/** What else somebody who may answer a card may do with it. */
export type CardAction =
  | { readonly kind: "ask_again" }
  | ({ readonly kind: "extend" } & z.infer<typeof extendBody>)
  | ({ readonly kind: "hand_over" } & z.infer<typeof handOverBody>);
/** The answer to one question; `null` in its place: the person gives none. */
export const givenAnswer = z.object({
  /** Labels as the card shows them. */
  choices: z.array(unitsText(MAX_SHOWN_LABEL_UNITS, 1)).max(MAX_OPTIONS).optional(),
  /** The person's own words. */
  text: unitsText(MAX_OWN_ANSWER_UNITS).optional(),
});

/** Answers to a card's questions, in its order. */
export const answerBody = z.object({
  prompt: unitsText(64, 1),
  answers: z.array(givenAnswer.nullable()).min(1).max(MAX_QUESTIONS),
});

export const withdrawBody = z.object({ input: unitsText(400, 1) });

/** A frame from a client. Unknown keys are ignored, unknown types refused: page and object deploy apart. */
export const clientFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), lastRev: z.number().int().nonnegative().optional() }),
  sendBody.extend({ type: z.literal("send") }),
  z.object({ type: z.literal("stop") }),
  withdrawBody.extend({ type: z.literal("withdraw") }),
  decideBody.extend({ type: z.literal("decide") }),
  decideManyBody.extend({ type: z.literal("decideMany"), id: clientId }),
  answerBody.extend({ type: z.literal("answer") }),
  z.object({ type: z.literal("continue") }),
  z.object({ type: z.literal("more"), before: entryId }),
  z.object({ type: z.literal("ack"), rev: z.number().int().nonnegative() }),
  /** A newer access token of the same person, in place of what the socket was opened with. */
  z.object({ type: z.literal("auth"), token: unitsText(MAX_TOKEN_CHARACTERS, 1) }),
]);

export type SendBody = z.infer<typeof sendBody>;
export type DecideBody = z.infer<typeof decideBody>;
export type DecideManyBody = z.infer<typeof decideManyBody>;
export type GivenAnswer = z.infer<typeof givenAnswer> | null;
export type AnswerBody = z.infer<typeof answerBody>;
export type ClientFrame = z.infer<typeof clientFrame>;

/**
 * Streaming text that is not committed yet. Stands outside the view and the fold. `attempt` counts the requests of a turn:
 * text of a higher one replaces that of a lower.
 */
export interface LiveText {
  readonly task: number;
  readonly attempt: number;
  readonly channel: DeltaChannel;
  readonly text: string;
}

/** `text` and `thinking` of a generation task; `progress` of a tool task. */
export type DeltaChannel = "text" | "thinking" | "progress";

export interface KernelEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** What became of an admitted message. */
export type ReceiptStatus = "placed" | "queued" | "done" | "unanswered";

/** What became of one card of a list. Without `error` it was decided as asked. */
export interface DecisionOutcome {
  readonly hold: string;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

export type ServerFrame =
  /** Answer to `hello` when the client's revision is current. */
  | { readonly type: "ready"; readonly rev: number; readonly live?: readonly LiveText[] }
  /** Answer to `hello` otherwise, and to whoever fell behind. */
  | { readonly type: "snapshot"; readonly rev: number; readonly view: View; readonly live?: readonly LiveText[] }
  | {
      readonly type: "commit";
      readonly rev: number;
      readonly ops: readonly Op[];
      readonly events: readonly KernelEvent[];
    }
  /** `offset` counts UTF-16 units of this task, attempt and channel that came before `text`. */
  | {
      readonly type: "delta";
      readonly task: number;
      readonly attempt: number;
      readonly channel: DeltaChannel;
      readonly offset: number;
      readonly text: string;
    }
  /** `id` repeats the client's; `input` is the request key. Sent only after the row is written. */
  | { readonly type: "receipt"; readonly id: string; readonly input: string; readonly status: ReceiptStatus }
  /** What became of each card of a list; `id` repeats the client's. */
  | { readonly type: "decided"; readonly id: string; readonly outcomes: readonly DecisionOutcome[] }
  /** Older entries, oldest first, answering `more`. */
  | {
      readonly type: "page";
      readonly before: number;
      readonly entries: readonly ViewEntry[];
      readonly earlier: boolean;
    }
  /** `ref` repeats the `id`, `hold`, `prompt` or `input` of the frame that failed. */
  | { readonly type: "error"; readonly code: ErrorCode; readonly ref?: string; readonly message: string }
  /** What this person may do with the cards that wait or may be asked again: all of them, in place of what was told before. */
  | { readonly type: "choices"; readonly cards: readonly CardChoices[] }
  /** The session ends within five minutes: send `auth`, or sign in again. Said once. */
  | { readonly type: "reauth" }
  /** Answer to `auth`: the socket may go on until then, ms since 1970. */
  | { readonly type: "authorized"; readonly until: number };

/** Stable codes of refusals, on the socket and in REST bodies (`{ error: { code, message } }`). */
export type ErrorCode =
  | "bad_frame"
  | "bad_request"
  | "too_large"
  | "rate_limited"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "inbox_full"
  | "unknown_attachment"
  | "unknown_hold"
  | "unknown_prompt"
  | "changed"
  | "already_decided"
  | "expired"
  | "already_placed"
  | "settled"
  | "nothing_to_do"
  /** Something runs or waits that this would pull the ground from under. */
  | "busy"
  | "unavailable"
  | "internal";
