import { describe, expect, it } from "vitest";
import { inObjectWorld } from "../kit/object-world.workers.ts";
import { PLUGIN_SCENARIOS } from "../kit/plugin-scenarios.ts";
import { expectAtRest, expectSame, playCut } from "./cut-run.ts";

describe.each(PLUGIN_SCENARIOS)("cut in a Durable Object: $name", (scenario) => {
  it("[E-6] [E-24] [K-53] [T-50] dies before and after every commit and effect, and comes to the same", async () => {
    const whole = await inObjectWorld((makeWorld) => playCut(scenario, [], makeWorld));
    const points = whole.world.crashes.passed;
    expect(points.length).toBeGreaterThan(8);
    for (const index of points.keys()) {
      const where = `killed at ${index} (${points[index]})`;
      await inObjectWorld(async (makeWorld) => {
        const cut = await playCut(scenario, [index], makeWorld);
        expectAtRest(cut, where);
        expectSame(cut.lines, whole.lines, where);
        expect([...cut.server.sink.values()], where).toEqual([...whole.server.sink.values()]);
      });
    }
  }, 60_000);
});
