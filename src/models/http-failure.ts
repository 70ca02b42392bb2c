import type { Failure } from "./failure.ts";
import { type ReadHeader, readRetryAfter } from "./retry-after.ts";
import { asObject, asText } from "./wire-json.ts";

/** An error answer of a vendor, however it came. `says` is read for patterns only, never shown. */
export interface VendorError {
  readonly status: number | undefined;
  readonly code: string;
  readonly says: string;
}

const OVERFLOW =
  /prompt is too long|context (length|window|size)|maximum context|exceed(s|ed)? (the )?(model'?s )?context|too many (input )?tokens|input (is|length) .{0,40}(too long|exceed)|reduce the length of the (messages|prompt|input)/i;
const OVERFLOW_CODES = /context_length_exceeded|exceed_context_size|context_window|request_too_large/;
const UNPAID = /insufficient_quota|billing|credit balance|spend_limit|payment_required/i;
const NO_MODEL = /model_not_found|unknown_model|model .{0,80}(not found|does not exist|not exist)|no such model/i;
const BAD_REASONING =
  /invalid_encrypted_content|encrypted content|`?(redacted_)?thinking`? block|signature|reasoning (item|content|block)|reasoning_content|thought_signature/i;
const BAD_IMAGE = /image/i;

/** The HTTP status as a failure, refined by what the vendor says of it. */
export function failureOfStatus(error: VendorError): Failure {
  const { status, code, says } = error;
  const base = { ...(status === undefined ? {} : { status }), ...(code === "" ? {} : { code }) };
  const all = `${code} ${says}`;
  if (UNPAID.test(all) || status === 402) return { ...base, kind: "rate_limit", unpaid: true };
  switch (status) {
    case 400:
    case 422:
      return { ...base, ...refineRefusal(all) };
    case 401:
    case 403:
      return { ...base, kind: "auth" };
    case 404:
      return { ...base, kind: "unknown_model" };
    case 413:
      return { ...base, kind: "context_overflow" };
    case 429:
      return { ...base, kind: "rate_limit" };
    case 503:
    case 529:
      return { ...base, kind: "overloaded" };
    default:
      return { ...base, kind: kindOfOther(status) };
  }
}

/** What a refused request was refused for. */
export function refineRefusal(says: string): Pick<Failure, "kind" | "refused"> {
  if (OVERFLOW_CODES.test(says) || OVERFLOW.test(says)) return { kind: "context_overflow" };
  if (NO_MODEL.test(says)) return { kind: "unknown_model" };
  if (BAD_REASONING.test(says)) return { kind: "invalid_request", refused: "reasoning" };
  if (BAD_IMAGE.test(says)) return { kind: "invalid_request", refused: "images" };
  return { kind: "invalid_request" };
}

function kindOfOther(status: number | undefined): Failure["kind"] {
  if (status === undefined) return "network";
  if (status >= 500 || status === 408 || status === 409 || status === 425 || status === 499) return "server";
  return status >= 300 && status < 400 ? "protocol" : "invalid_request";
}

/** What a request threw, read by shape: an SDK's classes stand behind a dynamic import. Anything without a status is network. */
export function failureOfThrown(thrown: unknown, nowMs: number, read: (body: unknown) => VendorError): Failure {
  const { status, headers, error: body } = asObject(thrown) as { status?: unknown; headers?: unknown; error?: unknown };
  const { code, says } = read(body);
  const failure = failureOfStatus({ status: typeof status === "number" ? status : undefined, code, says });
  const header = headerReader(headers);
  const retryAfterMs = readRetryAfter(header, nowMs);
  const shouldRetry = header("x-should-retry");
  return {
    ...failure,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(shouldRetry === "false" ? { retryable: false } : {}),
  };
}

function headerReader(headers: unknown): ReadHeader {
  return headers instanceof Headers ? (name) => headers.get(name) : () => undefined;
}

/** `{ error: { code | type, message } }`, the inner object or a bare text, as most wires write it. */
export function readErrorBody(body: unknown): VendorError {
  if (typeof body === "string") return { status: undefined, code: "", says: body };
  const outer = asObject(body);
  if (typeof outer.error === "string") return { status: undefined, code: "", says: outer.error };
  const inner = asObject(outer.error ?? outer);
  const code = asText(inner.code) || asText(inner.type);
  return { status: undefined, code, says: `${asText(inner.type)} ${asText(inner.param)} ${asText(inner.message)}` };
}
