import { describe, expect, it } from "vitest";
import { expectAtRest, expectSame, playCut } from "../kernel/cut-run.ts";
import { inObjectWorld } from "../kit/object-world.workers.ts";
import { COMPACTIONS } from "./scenarios.ts";

/** One point in so many: on Node every one is tried. */
const EVERY = 7;

describe.each(COMPACTIONS)("cut in a Durable Object: $name", (scenario) => {
  it("[E-6] [E-24] [Q-17] [Q-19] dies at every seventh commit and effect, and comes to the same transcript", async () => {
    const whole = await inObjectWorld((makeWorld) => playCut(scenario, [], makeWorld));
    expect(whole.lines.filter((line) => line.kind === "core.summary").length).toBe(1);
    const { length } = whole.world.crashes.passed;
    for (let index = 0; index < length; index += EVERY) {
      await inObjectWorld(async (makeWorld) => {
        const cut = await playCut(scenario, [index], makeWorld);
        expectAtRest(cut, `killed at ${index}`);
        expectSame(cut.lines, whole.lines, `killed at ${index}`);
      });
    }
  }, 60_000);
});
