import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { largestFitting } from "../../../src/holds/card/largest-fitting.ts";

const same = (n: number) => n;

describe("largestFitting", () => {
  it("[H-36] finds what fits, close to the most that does", () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(300_000), fc.nat(300_000), (least, span, room) => {
        const found = largestFitting(least, least + span, same, (n) => n <= least + room) ?? -1;
        const best = Math.min(least + span, least + room);
        expect(found).toBeLessThanOrEqual(best);
        expect(found).toBeGreaterThanOrEqual(Math.floor(best * (1 - 1 / 32)));
      }),
    );
  });

  it("[H-36] finds nothing where the least does not fit", () => {
    expect(largestFitting(200, 10_000, same, (n) => n < 200)).toBeUndefined();
    expect(largestFitting(0, 100, same, (n) => n < 1)).toBe(0);
  });

  it("[H-36] gives something that fits where fitting goes up and down", () => {
    const fits = (n: number) => n % 7 !== 3;
    expect(fits(largestFitting(0, 1_000, same, fits) ?? 3)).toBe(true);
  });
});
