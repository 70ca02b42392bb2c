import type { RefusalKind } from "./replies.ts";

type Row = readonly [status: number, type: string, code: string | null, message: string];

const REFUSALS: Readonly<Record<RefusalKind, Row>> = {
  overloaded: [503, "server_error", "server_overloaded", "The engine is currently overloaded."],
  unavailable: [503, "server_error", null, "Service unavailable"],
  rate_limit: [429, "tokens", "rate_limit_exceeded", "Rate limit reached for org-SECRET"],
  no_credit: [429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota."],
  bad_key: [401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-SECRET"],
  too_long: [
    400,
    "invalid_request_error",
    "context_length_exceeded",
    "Input exceeds the context window of this model.",
  ],
  invalid: [400, "invalid_request_error", null, "Something of SECRET is wrong"],
  unknown_model: [404, "invalid_request_error", "model_not_found", "The model `gpt-nobody` does not exist"],
  server: [500, "server_error", null, "The server had an error"],
  bad_reasoning: [
    400,
    "invalid_request_error",
    "invalid_encrypted_content",
    "The encrypted content could not be verified.",
  ],
  bad_image: [
    400,
    "invalid_request_error",
    "image_parse_error",
    "The image data you provided does not represent a valid image.",
  ],
};

/** The error body that OpenAI's wires share. */
export function openAiRefusal(kind: RefusalKind): { readonly status: number; readonly body: unknown } {
  const [status, type, code, message] = REFUSALS[kind];
  return { status, body: { error: { message, type, param: null, code } } };
}
