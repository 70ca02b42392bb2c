import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelErrorKind } from "../../src/kernel/ports/model.ts";
import { type Failure, toModelError } from "../../src/models/failure.ts";

const KINDS: readonly ModelErrorKind[] = [
  "overloaded",
  "rate_limit",
  "server",
  "network",
  "cut",
  "idle_timeout",
  "context_overflow",
  "auth",
  "invalid_request",
  "protocol",
  "unknown_model",
  "aborted",
];

describe("errors in words", () => {
  it.each(KINDS)("[M-37] %s says what failed and what to do", (kind) => {
    const { message } = toModelError({ kind }, { model: "a/m", keyFrom: "KEY" });
    expect(message).toMatch(/^\S.*\. [A-Z].*\.$/);
    if (kind !== "aborted") expect(message).toContain("a/m");
  });

  it("[M-37] names the secret, the wait and a plain code", () => {
    const say = (failure: Failure) => toModelError(failure, { model: "a/m", keyFrom: "KEY" }).message;
    expect(say({ kind: "auth", status: 401 })).toContain("KEY");
    expect(say({ kind: "rate_limit", status: 429, retryAfterMs: 1_500 })).toContain("Wait 2 s");
    expect(say({ kind: "invalid_request", status: 400, code: "bad_thing" })).toContain("(HTTP 400, bad_thing)");
    expect(say({ kind: "auth", noKey: true })).toContain("Set the secret KEY");
    expect(toModelError({ kind: "auth" }, { model: "a/m" }).message).toContain("keyFrom");
  });

  it("[M-37] shows a code only where it is short and plain", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ minLength: 65, maxLength: 90 })), (code) => {
        const { message } = toModelError({ kind: "server", code }, { model: "a/m" });
        const shown = /\(([^)]*)\)/.exec(message)?.[1];
        if (shown !== undefined) expect(shown).toMatch(/^[a-z][a-z0-9_.-]{0,63}$/i);
      }),
    );
  });

  it("[M-34] [M-35] says what may be tried again", () => {
    const retryable = (failure: Failure) => toModelError(failure, { model: "a/m" }).retryable;
    expect(KINDS.filter((kind) => retryable({ kind }))).toEqual([
      "overloaded",
      "rate_limit",
      "server",
      "network",
      "cut",
      "idle_timeout",
    ]);
    expect(retryable({ kind: "rate_limit", unpaid: true })).toBe(false);
  });
});
