import type { Json } from "../../lib/json.ts";
import type { AssistantMessage, Message, Usage } from "../../protocol/message.ts";
import type { ThinkingLevel } from "../../protocol/view.ts";

/** What a model sees of a tool. `parameters` is a JSON Schema. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
}

/** One request, complete: the same value always gives the same bytes on the wire. */
export interface ModelRequest {
  /** `<provider>/<model>` */
  readonly model: string;
  readonly thinking: ThinkingLevel;
  /** The stable part of the prompt. */
  readonly system: string;
  /** Text that changes from call to call (time, counters). Providers put it last, so that caches stay warm. */
  readonly volatile: string;
  /** Valid for every vendor: pairs complete, in call order, no orphan results (see `context/derive`). */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Limit of output tokens; absent: the provider's default for the model. */
  readonly maxOutputTokens?: number;
}

/** Why a request failed. `cut`: the stream ended before its terminal event. */
export type ModelErrorKind =
  | "overloaded"
  | "rate_limit"
  | "server"
  | "network"
  | "cut"
  | "idle_timeout"
  | "context_overflow"
  | "auth"
  | "invalid_request"
  | "protocol"
  | "unknown_model"
  | "aborted";

export interface ModelError {
  readonly kind: ModelErrorKind;
  /** A sentence for a person: what failed and the remedy. Never a secret, never a request body. */
  readonly message: string;
  readonly retryable: boolean;
  /** Wait at least this long, when the vendor said so. */
  readonly retryAfterMs?: number;
  /** Tokens spent by the failed call, as far as known. */
  readonly usage?: Usage;
}

export type ModelFrame =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** The last frame of a good call. */
  | { readonly type: "end"; readonly message: AssistantMessage; readonly usage: Usage }
  /** The last frame of a failed call. */
  | { readonly type: "error"; readonly error: ModelError };

/**
 * The model port. `stream` never throws and its iterator never rejects: whatever happens arrives as the one last frame
 * (`end` or `error`). After `signal` aborts it ends promptly with `error` of kind `aborted`. It retries nothing: the
 * kernel does. (Only what the vendor refused unread, because of kept reasoning or an image, is asked once more without
 * it.) It keeps no state between calls.
 */
export interface ModelPort {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelFrame>;
}
