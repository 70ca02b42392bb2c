import * as z from "zod";
import { isDeeper } from "../lib/is-deeper.ts";
import {
  MAX_ALLOW_HOURS,
  MAX_CLIENT_ID_UNITS,
  MAX_FILES_PER_MESSAGE,
  MAX_INPUT_DEPTH,
  MAX_NOTE_UNITS,
  MAX_TEXT_UNITS,
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

export const withdrawBody = z.object({ input: unitsText(400, 1) });

/** A frame from a client. Unknown keys are ignored, unknown types refused: page and object deploy apart. */
export const clientFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), lastRev: z.number().int().nonnegative().optional() }),
  sendBody.extend({ type: z.literal("send") }),
  z.object({ type: z.literal("stop") }),
  withdrawBody.extend({ type: z.literal("withdraw") }),
  decideBody.extend({ type: z.literal("decide") }),
  z.object({ type: z.literal("continue") }),
  z.object({ type: z.literal("more"), before: entryId }),
  z.object({ type: z.literal("ack"), rev: z.number().int().nonnegative() }),
]);

export type SendBody = z.infer<typeof sendBody>;
export type DecideBody = z.infer<typeof decideBody>;
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
  /** Older entries, oldest first, answering `more`. */
  | {
      readonly type: "page";
      readonly before: number;
      readonly entries: readonly ViewEntry[];
      readonly earlier: boolean;
    }
  /** `ref` repeats the `id`, `hold` or `input` of the frame that failed. */
  | { readonly type: "error"; readonly code: ErrorCode; readonly ref?: string; readonly message: string }
  | { readonly type: "reauth" };

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
