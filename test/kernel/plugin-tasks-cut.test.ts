import { describe, expect, it } from "vitest";
import { nodeWorld } from "../kit/node-world.ts";
import { PLUGIN_SCENARIOS } from "../kit/plugin-scenarios.ts";
import { expectAtRest, expectSame, type Played, playCut } from "./cut-run.ts";

/** Exhaustive: hundreds of runs, whose number is what counts. On a machine with other work they take their time. */
const EXHAUSTIVE = { timeout: 60_000 };

describe.each(PLUGIN_SCENARIOS)("cut: $name", EXHAUSTIVE, (scenario) => {
  function expectAlike(cut: Played, whole: Played, where: string): void {
    expectAtRest(cut, where);
    expectSame(cut.lines, whole.lines, where);
    // The values alone: a death may give the task another id.
    expect([...cut.server.sink.values()], where).toEqual([...whole.server.sink.values()]);
  }

  it("[E-6] [K-53] [K-55] [A-3] [A-4] [A-11] [A-13] [C-27] [T-50] [R-28] dies before and after every commit and effect", async () => {
    const whole = await playCut(scenario, [], nodeWorld);
    expectAtRest(whole, "uncut");
    const points = whole.world.crashes.passed;
    expect(points.length).toBeGreaterThan(8);
    for (const index of points.keys()) {
      const where = `killed at ${index} (${points[index]})`;
      expectAlike(await playCut(scenario, [index], nodeWorld), whole, where);
    }
  });

  it.each([1, 2, 3, 5, 8])("[E-6] [K-53] [T-50] dies again %i points into the recovery", async (gap) => {
    const whole = await playCut(scenario, [], nodeWorld);
    const { length } = whole.world.crashes.passed;
    for (let index = 0; index < length; index++) {
      const where = `killed at ${index} and again ${gap} later`;
      expectAlike(await playCut(scenario, [index, index + gap], nodeWorld), whole, where);
    }
  });
});
