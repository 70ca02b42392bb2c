import { describe, expect, it } from "vitest";
import { expectAtRest, expectSame, type Played, playCut } from "../kernel/cut-run.ts";
import { checkMessages } from "../kit/check-messages.ts";
import { nodeWorld } from "../kit/node-world.ts";
import { COMPACTIONS } from "./scenarios.ts";

/** Exhaustive: hundreds of runs, whose number is what counts. On a machine with other work they take their time. */
const EXHAUSTIVE = { timeout: 60_000 };

/** One compaction, whole, and no request that a vendor would refuse. */
function expectWhole({ world }: Played, where: string): void {
  const faults = world.model.requests.flatMap((request) => checkMessages(request.messages));
  expect(faults, `${where}: requests that no vendor takes`).toEqual([]);
  const tasks = world.storage.sql.exec("SELECT outcome FROM done WHERE kind = 'core.compaction'").toArray();
  expect(tasks, `${where}: compactions`).toEqual([{ outcome: "completed" }]);
}

describe.each(COMPACTIONS)("cut: $name", EXHAUSTIVE, (scenario) => {
  it("[E-6] [Q-17] [Q-19] [R-23] [R-24] [C-21] dies before and after every commit and effect, and comes to the same transcript", async () => {
    const whole = await playCut(scenario, [], nodeWorld);
    expectAtRest(whole, "uncut");
    expect(whole.lines.filter((line) => line.kind === "core.summary").length).toBe(1);
    const points = whole.world.crashes.passed;
    expect(points.length).toBeGreaterThan(20);
    for (const index of points.keys()) {
      const where = `killed at ${index} (${points[index]})`;
      const cut = await playCut(scenario, [index], nodeWorld);
      expectAtRest(cut, where);
      expectWhole(cut, where);
      expectSame(cut.lines, whole.lines, where);
    }
  });

  it.each([1, 4])(
    "[E-6] [Q-17] [Q-19] dies again %i points into the recovery, and comes to the same transcript",
    async (gap) => {
      const whole = await playCut(scenario, [], nodeWorld);
      const { length } = whole.world.crashes.passed;
      for (let index = 0; index < length; index++) {
        const where = `killed at ${index} and again ${gap} later`;
        const cut = await playCut(scenario, [index, index + gap], nodeWorld);
        expectAtRest(cut, where);
        expectWhole(cut, where);
        expectSame(cut.lines, whole.lines, where);
      }
    },
  );
});
