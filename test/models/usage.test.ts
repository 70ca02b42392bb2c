import { describe, expect, it } from "vitest";
import { priceUsage } from "../../src/models/usage.ts";

describe("costs", () => {
  const counts = { input: 3, output: 5, cachedRead: 7, cachedWrite: 11 };

  it("[M-33] are millionths of a dollar, whole", () => {
    expect(priceUsage(counts, { input: 0.1, output: 0.5, cachedRead: 0.01, cachedWrite: 0.125 }).costMicros).toBe(4);
    expect(priceUsage(counts, { input: 2, output: 10, cachedRead: 1, cachedWrite: 4 }).costMicros).toBe(
      6 + 50 + 7 + 44,
    );
  });

  it("[M-33] count a missing cached price as input, and no price as 0", () => {
    expect(priceUsage(counts, { input: 2, output: 10 }).costMicros).toBe(6 + 50 + 14 + 22);
    expect(priceUsage(counts, undefined)).toEqual({ ...counts, costMicros: 0 });
  });
});
