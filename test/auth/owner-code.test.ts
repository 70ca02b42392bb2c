import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashCode, normaliseCode } from "../../src/auth/code.ts";
import { newOwnerCode } from "../../src/auth/owner-code.ts";

describe("the owner code", () => {
  it("[U-16] holds 128 bits in 26 characters", () => {
    const highest = newOwnerCode((bytes) => bytes.fill(255));
    const lowest = newOwnerCode((bytes) => bytes.fill(0));
    expect(highest).toBe(`7${"z".repeat(25)}`);
    expect(lowest).toBe("0".repeat(26));
  });

  it("[U-16] another bit of randomness is another code", () => {
    const codes = new Set<string>();
    for (let bit = 0; bit < 128; bit++) {
      codes.add(newOwnerCode((bytes) => bytes.fill(0).fill(1 << (bit % 8), bit >> 3, (bit >> 3) + 1)));
    }
    expect(codes.size).toBe(128);
  });

  it("[U-16] is read in either case, with spaces and dashes, and with letters that look like digits", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 16, maxLength: 16 }), async (random) => {
        const code = newOwnerCode((bytes) => bytes.set(random));
        const typed = code.toUpperCase().replace(/.{4}/g, "$& - ").replaceAll("0", "O").replaceAll("1", "I");
        expect(normaliseCode(typed)).toBe(code);
        expect(await hashCode(typed)).toBe(await hashCode(code));
      }),
    );
  });
});
