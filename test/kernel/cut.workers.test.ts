import { describe, expect, it } from "vitest";
import { inObjectWorld } from "../kit/object-world.workers.ts";
import { SCENARIOS } from "../kit/scenarios.ts";
import { expectAtRest, expectSame, playCut } from "./cut-run.ts";

describe.each(SCENARIOS)("cut in a Durable Object: $name", (scenario) => {
  it("[E-6] [E-24] [T-28] dies before and after every commit and effect, and comes to the same transcript", async () => {
    const whole = await inObjectWorld((makeWorld) => playCut(scenario, [], makeWorld));
    const points = whole.world.crashes.passed;
    expect(points.length).toBeGreaterThan(8);
    for (const index of points.keys()) {
      const where = `killed at ${index} (${points[index]})`;
      await inObjectWorld(async (makeWorld) => {
        const cut = await playCut(scenario, [index], makeWorld);
        expectAtRest(cut, where);
        expectSame(cut.lines, whole.lines, where);
      });
    }
  }, 60_000);
});
