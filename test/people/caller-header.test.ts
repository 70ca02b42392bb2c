import { describe, expect, it } from "vitest";
import { decodeCaller, encodeCaller } from "../../src/people/caller-header.ts";

const caller = { principalId: "p_1", identity: "oidc:ä€😀", sessionHash: "a".repeat(64) };

describe("the caller in a header", () => {
  it("[U-34] is ASCII and comes back as it was", () => {
    const header = encodeCaller(caller);
    expect(header).toMatch(/^[\x20-\x7e]+$/);
    expect(decodeCaller(header)).toEqual(caller);
  });

  it("[U-15] carries no tier, and one that does is no caller", () => {
    const withTier = { ...caller, tier: "owner" };
    expect(encodeCaller(withTier)).not.toContain("owner");
    expect(decodeCaller(JSON.stringify(withTier))).toBeUndefined();
  });

  it("[U-34] anything else is no caller", () => {
    for (const value of [null, "", "null", "{}", "[]", "{", JSON.stringify({ ...caller, sessionHash: "x" })]) {
      expect(decodeCaller(value)).toBeUndefined();
    }
  });
});
