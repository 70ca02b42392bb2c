import { describe, expect, it } from "vitest";
import { FakeMeter } from "../kit/fake-meter.ts";
import { HISTORY_SCENARIOS } from "../kit/history-scenarios.ts";
import { nodeWorld } from "../kit/node-world.ts";
import { SCENARIOS, type Scenario } from "../kit/scenarios.ts";
import { expectAtRest, expectSame, type Played, playCut } from "./cut-run.ts";
import { send } from "./make.ts";

/** Exhaustive, as the other cuts are. */
const EXHAUSTIVE = { timeout: 60_000 };

interface Metered extends Played {
  readonly meter: FakeMeter;
}

/** Plays a scenario in a world with a meter, which outlives every death. */
async function playMetered(scenario: Scenario, killAt: readonly number[], isFree = false): Promise<Metered> {
  const meter = new FakeMeter();
  meter.isFreeOfCharge = isFree;
  const options: Scenario["options"] = (server) => ({ ...scenario.options(server), meter });
  return { ...(await playCut({ ...scenario, options }, killAt, nodeWorld)), meter };
}

/** What was asked for and told fits what left and what it came to, once something more has happened here. */
async function expectPaid({ world, meter }: Metered, where: string): Promise<void> {
  const sent = world.model.requests.length;
  world.crashes.spare();
  for (const actor of ["p_anna", "p_bert"]) {
    send(world, "and then?", { actor });
    await world.run();
  }
  const requests = [...meter.accounts].filter(([key]) => !key.startsWith("turn/"));
  expect(requests.length, `${where}: each request that left was asked for`).toBeGreaterThanOrEqual(sent);
  expect(meter.open, `${where}: everything is settled`).toEqual([]);
  const twice = requests.filter(([, { times }]) => times !== 1);
  expect(twice, `${where}: and once`).toEqual([]);
  const spent = requests.reduce((sum, [, { micros }]) => sum + (micros ?? 0), 0);
  expect(spent, `${where}: at what the vendor counted, at least`).toBeGreaterThanOrEqual(
    world.control.usage.costMicros,
  );
}

describe.each([...SCENARIOS, ...HISTORY_SCENARIOS])("money when it dies: $name", EXHAUSTIVE, (scenario) => {
  it("[Y-23] dies before and after every question, commit, frame and word about money", async () => {
    const whole = await playMetered(scenario, []);
    expectAtRest(whole, "uncut");
    const points = [...whole.world.crashes.passed];
    expect(points).toEqual(
      expect.arrayContaining(["before reserve", "after reserve", "before settle", "after settle"]),
    );
    await expectPaid(whole, "uncut");
    for (const index of points.keys()) {
      const where = `killed at ${index} (${points[index]})`;
      const cut = await playMetered(scenario, [index]);
      expectAtRest(cut, where);
      expectSame(cut.lines, whole.lines, where);
      await expectPaid(cut, where);
    }
  });

  it.each([1, 3])("[Y-23] dies again %i points into the recovery", async (gap) => {
    const whole = await playMetered(scenario, []);
    const { length } = whole.world.crashes.passed;
    for (let index = 0; index < length; index++) {
      const where = `killed at ${index} and again ${gap} later`;
      const cut = await playMetered(scenario, [index, index + gap]);
      expectAtRest(cut, where);
      await expectPaid(cut, where);
    }
  });

  it("[Y-27] [Y-33] dies at every point with a model that costs nothing: its turns are counted, and none stays counted", async () => {
    const whole = await playMetered(scenario, [], true);
    const { passed } = whole.world.crashes;
    for (const index of passed.keys()) {
      const where = `killed at ${index} (${passed[index]})`;
      const cut = await playMetered(scenario, [index], true);
      expectAtRest(cut, where);
      expectSame(cut.lines, whole.lines, where);
      cut.world.crashes.spare();
      send(cut.world, "and then?", { actor: "p_anna" });
      await cut.world.run();
      const sent = new Set(cut.meter.calls.flatMap((call) => call.match(/^reserve (\d+)\//)?.[1] ?? []));
      for (const task of sent) expect(cut.meter.accounts.has(`turn/${task}`), `${where}: turn ${task}`).toBe(true);
      expect(sent.size, where).toBeGreaterThan(0);
      expect(cut.meter.open, `${where}: no turn is left running`).toEqual([]);
    }
  });
});
