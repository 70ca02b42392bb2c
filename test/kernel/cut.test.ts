import { describe, expect, it } from "vitest";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { nodeWorld } from "../kit/node-world.ts";
import { EffectServer, play, SCENARIOS, type Scenario } from "../kit/scenarios.ts";
import { type Line, transcript } from "../kit/transcript.ts";

interface Played {
  readonly world: KernelWorld;
  readonly server: EffectServer;
  readonly lines: Line[];
}

async function playWith(scenario: Scenario, killAt: readonly number[]): Promise<Played> {
  const server = new EffectServer();
  const world = nodeWorld({ ...scenario.options(server), killAt });
  await play(scenario, world);
  return { world, server, lines: transcript(world) };
}

/** Says where a run after crashes differs from the run without, allowing `unknown` where an unsafe call was cut. */
function expectSame(lines: readonly Line[], expected: readonly Line[], where: string): void {
  const comparable = lines.map((line, i) => {
    const other = expected[i];
    const cut = line.outcome === "unknown" && other?.kind === line.kind;
    const cutNotice = line.kind === "core.notice" && line.text.includes("was interrupted") && other?.kind === line.kind;
    return cut || cutNotice ? other : line;
  });
  expect(comparable, where).toEqual(expected);
}

function expectAtRest({ world, server }: Played, where: string): void {
  expect(world.control.turn, `${where}: no turn is stuck`).toBeNull();
  expect(world.control.inbox, `${where}: nothing is stranded`).toEqual([]);
  expect(Object.values(world.control.tasks), `${where}: no task is left`).toEqual([]);
  expect(world.alarm.armedFor, `${where}: an idle conversation has no alarm`).toBeNull();
  for (const [key, count] of server.calls) {
    if (!key.startsWith("lookup:"))
      expect(count, `${where}: ${key} had its effect once at most`).toBeLessThanOrEqual(1);
  }
}

describe.each(SCENARIOS)("cut: $name", (scenario) => {
  it("[E-6] [T-28] [K-23] [R-1] dies before and after every commit and effect, and comes to the same transcript", async () => {
    const whole = await playWith(scenario, []);
    expectAtRest(whole, "uncut");
    const points = whole.world.crashes.passed;
    expect(points.length).toBeGreaterThan(8);
    for (const index of points.keys()) {
      const where = `killed at ${index} (${points[index]})`;
      const cut = await playWith(scenario, [index]);
      expectAtRest(cut, where);
      expectSame(cut.lines, whole.lines, where);
    }
  });

  it.each([1, 2, 3, 5, 8])(
    "[E-6] [T-19] dies again %i points into the recovery, and comes to the same transcript",
    async (gap) => {
      const whole = await playWith(scenario, []);
      const { length } = whole.world.crashes.passed;
      for (let index = 0; index < length; index++) {
        const where = `killed at ${index} and again ${gap} later`;
        const cut = await playWith(scenario, [index, index + gap]);
        expectAtRest(cut, where);
        expectSame(cut.lines, whole.lines, where);
      }
    },
  );
});
