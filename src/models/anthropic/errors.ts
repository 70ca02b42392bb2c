import type { Failure } from "../failure.ts";
import { failureOfStatus, failureOfThrown, type VendorError } from "../http-failure.ts";
import { asObject, asText, type WireObject } from "../wire-json.ts";

/** The status that each error type has when it comes as an HTTP answer. */
const STATUS_OF: { readonly [type: string]: number } = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  timeout_error: 504,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 529,
};

/** An `error` event inside a 200 stream. */
export function failureOfError(error: WireObject): Failure {
  const { status: _notSent, ...failure } = failureOfStatus({ ...readError({ error }), status: statusOf(error) });
  return failure;
}

/** What the SDK threw. */
export function classifyAnthropic(thrown: unknown, nowMs: number): Failure {
  return failureOfThrown(thrown, nowMs, readError);
}

function statusOf(error: WireObject): number {
  return STATUS_OF[asText(error.type)] ?? 500;
}

/** `{ type: "error", error: { type, message, details: { error_code } } }` */
function readError(body: unknown): VendorError {
  const error = asObject(asObject(body).error);
  const code = asText(asObject(error.details).error_code) || asText(error.type);
  return { status: undefined, code, says: `${asText(error.type)} ${asText(error.message)}` };
}
