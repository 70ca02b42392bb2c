import { expect, it } from "vitest";
import { expectAtRest, expectSame, type Played, playCut } from "../kernel/cut-run.ts";
import { nodeWorld } from "../kit/node-world.ts";
import type { EffectServer, Scenario } from "../kit/scenarios.ts";

/** Hundreds of runs, whose number is what counts. On a machine with other work they take their time. */
const EXHAUSTIVE = { timeout: 60_000 };

/** Plays an example once undisturbed, and once for each commit and effect with a death there and another in the recovery. */
export function itSurvivesDeathAnywhere(
  title: string,
  scenario: Scenario,
  holds: (server: EffectServer) => unknown,
): void {
  const expectAlike = (cut: Played, whole: Played, where: string) => {
    expectAtRest(cut, where);
    expectSame(cut.lines, whole.lines, where);
    expect(holds(cut.server), where).toEqual(holds(whole.server));
  };
  it.each([0, 1, 2, 4])(
    `[E-6] ${title}: the same after a death anywhere, and another %i points later`,
    EXHAUSTIVE,
    async (gap) => {
      const whole = await playCut(scenario, [], nodeWorld);
      expectAtRest(whole, "uncut");
      const { passed } = whole.world.crashes;
      expect(passed.length).toBeGreaterThan(8);
      for (const [index, point] of passed.entries()) {
        const deaths = gap === 0 ? [index] : [index, index + gap];
        expectAlike(
          await playCut(scenario, deaths, nodeWorld),
          whole,
          `killed at ${index} (${point}), then ${gap} later`,
        );
      }
    },
  );
}
