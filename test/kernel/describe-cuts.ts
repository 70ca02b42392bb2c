import { describe, expect, it } from "vitest";
import { nodeWorld } from "../kit/node-world.ts";
import type { Scenario } from "../kit/scenarios.ts";
import { expectAtRest, expectSame, playCut } from "./cut-run.ts";

/** Exhaustive: hundreds of runs, whose number is what counts. On a machine with other work they take their time. */
const EXHAUSTIVE = { timeout: 60_000 };

/** Cuts each scenario at every commit and effect, once and again during the recovery. */
export function describeCuts(scenarios: readonly Scenario[]): void {
  describe.each(scenarios)("cut: $name", EXHAUSTIVE, (scenario) => {
    it("[E-6] [T-28] [K-23] [R-1] [B-15] [R-2] [R-3] [R-4] [R-8] [R-11] [R-18] [R-19] [R-20] [R-22] [R-36] dies before and after every commit and effect, and comes to the same transcript", async () => {
      const whole = await playCut(scenario, [], nodeWorld);
      expectAtRest(whole, "uncut");
      const points = whole.world.crashes.passed;
      expect(points.length).toBeGreaterThan(8);
      for (const index of points.keys()) {
        const where = `killed at ${index} (${points[index]})`;
        const cut = await playCut(scenario, [index], nodeWorld);
        expectAtRest(cut, where);
        expectSame(cut.lines, whole.lines, where);
      }
    }, 60_000);

    it.each([1, 2, 3, 5, 8])(
      "[E-6] [T-19] dies again %i points into the recovery, and comes to the same transcript",
      async (gap) => {
        const whole = await playCut(scenario, [], nodeWorld);
        const { length } = whole.world.crashes.passed;
        for (let index = 0; index < length; index++) {
          const where = `killed at ${index} and again ${gap} later`;
          const cut = await playCut(scenario, [index, index + gap], nodeWorld);
          expectAtRest(cut, where);
          expectSame(cut.lines, whole.lines, where);
        }
      },
      60_000,
    );
  });
}
