import type { ModelError, ModelErrorKind } from "../kernel/ports/model.ts";
import { unreachable } from "../lib/assert.ts";
import type { Usage } from "../protocol/message.ts";

/** What went wrong in a call, before it is put into words. */
export interface Failure {
  readonly kind: ModelErrorKind;
  readonly status?: number;
  /** The vendor's own short code, e.g. `insufficient_quota`. */
  readonly code?: string;
  readonly retryAfterMs?: number;
  /** Overrides what the kind says about retrying. */
  readonly retryable?: boolean;
  /** The account has no credit or no quota left. */
  readonly unpaid?: true;
  /** The configuration names a secret that is not set. */
  readonly noKey?: true;
  /** The vendor refused this part of the history; the same request without it may pass. */
  readonly refused?: "reasoning" | "images";
  /** What to do, where the kind alone does not say it. A sentence. */
  readonly remedy?: string;
}

/** A failure on its way through code that can only throw. */
export class WireFault extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/** Names for the sentences. */
export interface Names {
  /** `<provider>/<model>` */
  readonly model: string;
  /** Name of the secret that holds the key, if the provider has one. */
  readonly keyFrom?: string;
}

const RETRYABLE: ReadonlySet<ModelErrorKind> = new Set([
  "overloaded",
  "rate_limit",
  "server",
  "network",
  "cut",
  "idle_timeout",
]);

/** A vendor's code that may be shown: short and plain, so that it can carry no key and no text. */
const PLAIN_CODE = /^[a-z][a-z0-9_.-]{0,63}$/i;

/** The failure in words for a person, with the remedy. Says nothing that the vendor or the request wrote. */
export function toModelError(failure: Failure, names: Names, usage?: Usage): ModelError {
  const retryable = failure.retryable ?? (RETRYABLE.has(failure.kind) && failure.unpaid !== true);
  return {
    kind: failure.kind,
    message: describe(failure, names),
    retryable,
    ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
    ...(usage === undefined ? {} : { usage }),
  };
}

function describe(failure: Failure, names: Names): string {
  const remedy = failure.remedy ?? remedyFor(failure, names);
  return `${whatFailed(failure, names.model)}${sourceOf(failure)}. ${remedy}`;
}

function whatFailed(failure: Failure, model: string): string {
  if (failure.unpaid) return `The account behind ${model} has no credit or quota left`;
  if (failure.noKey) return `${model} has no key`;
  switch (failure.kind) {
    case "overloaded":
      return `${model} is overloaded`;
    case "rate_limit":
      return `${model} takes no more requests for now: the rate limit is reached`;
    case "server":
      return `${model} failed on the vendor's side`;
    case "network":
      return `${model} could not be reached`;
    case "cut":
      return `The answer of ${model} was cut off before its end`;
    case "idle_timeout":
      return `${model} sent nothing for too long`;
    case "context_overflow":
      return `The conversation is too long for ${model}`;
    case "auth":
      return `${model} refused the key`;
    case "invalid_request":
      return `${model} refused the request`;
    case "protocol":
      return `${model} answered in a way that is not its protocol`;
    case "unknown_model":
      return `The vendor does not know ${model}`;
    case "aborted":
      return "The request was stopped";
    default:
      return unreachable(failure.kind);
  }
}

function sourceOf({ status, code }: Failure): string {
  const known = [
    ...(status === undefined ? [] : [`HTTP ${status}`]),
    ...(code !== undefined && PLAIN_CODE.test(code) ? [code] : []),
  ];
  return known.length === 0 ? "" : ` (${known.join(", ")})`;
}

function remedyFor(failure: Failure, names: Names): string {
  if (failure.unpaid) return "Add credit at the vendor, or choose another model.";
  if (failure.noKey) return `Set the secret ${names.keyFrom ?? "that keyFrom names"}, or choose another model.`;
  switch (failure.kind) {
    case "overloaded":
    case "server":
      return "Try again in a moment, or choose another model.";
    case "rate_limit":
      return failure.retryAfterMs === undefined
        ? "Wait a little, or choose another model."
        : `Wait ${Math.ceil(failure.retryAfterMs / 1000)} s, or choose another model.`;
    case "network":
      return "Check the provider's baseUrl and that the server runs, then try again.";
    case "cut":
    case "idle_timeout":
      return "Try again.";
    case "context_overflow":
      return "Shorten the conversation, start a new one, or choose a model with a larger context.";
    case "auth":
      return names.keyFrom === undefined
        ? "The provider has no keyFrom in althing.config.ts: name the secret that holds the key."
        : `Check the secret ${names.keyFrom}: it must hold a valid key that may use this model.`;
    case "invalid_request":
      return "Choose another model, or check the model's settings in althing.config.ts.";
    case "protocol":
      return "Check that the provider's kind and baseUrl in althing.config.ts belong together.";
    case "unknown_model":
      return "Check the model's id and the provider's baseUrl in althing.config.ts, or choose another model.";
    case "aborted":
      return "Send the message again to go on.";
    default:
      return unreachable(failure.kind);
  }
}
