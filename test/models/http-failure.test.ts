import { describe, expect, it } from "vitest";
import { failureOfStatus, readErrorBody, refineRefusal } from "../../src/models/http-failure.ts";
import { readRetryAfter } from "../../src/models/retry-after.ts";

describe("what vendors say", () => {
  const TOO_LONG = [
    "prompt is too long: 210000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000, decrease input length",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "the request exceeds the available context size. try increasing the context size or enable context shift",
    "The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8192)",
    "context_length_exceeded",
    "input is too long for requested model",
    "Please reduce the length of the messages.",
  ];
  it.each(TOO_LONG)("[M-36] too long: %s", (says) => {
    expect(refineRefusal(says).kind).toBe("context_overflow");
  });

  const NOT_TOO_LONG = [
    "max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens",
    "messages: at least one message is required",
    "tools.0.custom.input_schema: JSON schema is invalid",
  ];
  it.each(NOT_TOO_LONG)("[M-36] not too long: %s", (says) => {
    expect(refineRefusal(says)).toEqual({ kind: "invalid_request" });
  });

  const REASONING = [
    "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
    "messages.3.content.0: Invalid `signature` in `thinking` block",
    "messages.1.content.0: the thinking block's prefix binding does not match this request",
    "The encrypted content gAAA could not be verified.",
    "Item 'rs_1' of type 'reasoning' was provided without its required following reasoning item.",
    "Missing `reasoning_content` field in the assistant message at message index 1",
    "Function call is missing a thought_signature in functionCall parts.",
  ];
  it.each(REASONING)("[M-28] refused reasoning: %s", (says) => {
    expect(refineRefusal(says).refused).toBe("reasoning");
  });

  it("[M-34] statuses that no vendor documents have a kind too", () => {
    const kind = (status: number) => failureOfStatus({ status, code: "", says: "" }).kind;
    expect([300, 307, 402, 405, 408, 409, 413, 418, 425, 499, 502, 504, 520, 524, 599].map(kind)).toEqual([
      "protocol",
      "protocol",
      "rate_limit",
      "invalid_request",
      "server",
      "server",
      "context_overflow",
      "invalid_request",
      "server",
      "server",
      "server",
      "server",
      "server",
      "server",
      "server",
    ]);
  });

  it("[M-34] error bodies are read in all their forms", () => {
    expect(readErrorBody({ error: "model 'x' not found, try pulling it first" }).says).toContain("not found");
    expect(readErrorBody({ error: { message: "m", code: 400 } })).toMatchObject({
      code: "",
      says: expect.stringContaining("m") as string,
    });
    expect(
      readErrorBody({ object: "error", message: "maximum context length", type: "BadRequestError" }).says,
    ).toContain("maximum");
    expect(readErrorBody(null)).toMatchObject({ code: "" });
  });
});

describe("retry-after", () => {
  it("[M-35] reads milliseconds before seconds before dates", () => {
    const read = (headers: { readonly [name: string]: string }) =>
      readRetryAfter((name) => headers[name], Date.UTC(2026, 0, 1));
    expect(read({})).toBeUndefined();
    expect(read({ "retry-after": "" })).toBeUndefined();
    expect(read({ "retry-after": "-5" })).not.toBe(-5000);
    expect(read({ "retry-after": "2" })).toBe(2000);
    expect(read({ "retry-after-ms": "2.6" })).toBe(3);
    expect(read({ "retry-after-ms": "x", "retry-after": "1" })).toBe(1000);
    expect(read({ "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" })).toBe(60_000);
    expect(read({ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" })).toBe(0);
  });
});
