import type { Failure } from "../failure.ts";
import { failureOfStatus, failureOfThrown, readErrorBody } from "../http-failure.ts";
import { asObject, asText } from "../wire-json.ts";

/** The status that an error inside a 200 stream would have had, by its code or type. */
const STATUS_OF: { readonly [code: string]: number } = {
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  insufficient_quota: 429,
  server_error: 500,
  internal_server_error: 500,
  api_error: 500,
  overloaded: 503,
  overloaded_error: 503,
  server_overloaded: 503,
  service_unavailable: 503,
  invalid_api_key: 401,
  authentication_error: 401,
  invalid_request_error: 400,
  invalid_prompt: 400,
  context_length_exceeded: 400,
  bad_request: 400,
};

/** What `post` threw. */
export function classifyOpenAi(thrown: unknown, nowMs: number): Failure {
  const failure = failureOfThrown(thrown, nowMs, readErrorBody);
  // Organisations that are not verified may use a reasoning model but not see its summary.
  const { param } = asObject(asObject(thrown).error);
  if (failure.kind !== "invalid_request" || param !== "reasoning.summary") return failure;
  return { ...failure, remedy: "Verify the organisation at the vendor, or set thinking to off." };
}

/** An error event inside a stream. One that we do not know is the vendor's fault, so it is tried again. */
export function failureOfEvent(body: unknown): Failure {
  const { code, says } = readErrorBody(body);
  const inner = asObject(asObject(body).error ?? body);
  const numeric = typeof inner.code === "number" ? inner.code : undefined;
  const status = numeric ?? STATUS_OF[code] ?? STATUS_OF[asText(inner.type)] ?? (code.includes("image") ? 400 : 500);
  const { status: _notSent, ...failure } = failureOfStatus({ status, code, says });
  return failure;
}
