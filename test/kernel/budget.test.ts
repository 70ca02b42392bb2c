import { describe, expect, it } from "vitest";
import { started } from "./started.ts";
import { ADMISSION, ANSWER, options, say, TURN_COSTS } from "./turn-costs.ts";

describe("rows and alarms of each kind of turn", () => {
  it.each(TURN_COSTS)("[K-12] [K-13] [E-3] $name", async ({ options, play, costs, billed }) => {
    const world = started(options);
    await say("before")(world);
    world.costs.length = 0;
    await play(world);
    expect(world.costs.map(({ rows, alarms }) => [rows, alarms])).toEqual(costs);
    expect(costs.flat().reduce((sum, n) => sum + n, 0)).toBe(billed);
    expect(world.alarm.armedFor).toBeNull();
  });

  it("[K-12] the first request of a conversation also stores the system prompt", async () => {
    const world = started(options);
    world.costs.length = 0;
    await say("hi")(world);
    expect(world.costs.map(({ rows, alarms }) => [rows, alarms])).toEqual([ADMISSION, [2, 0], ANSWER]);
  });

  it("[K-13] stays within nine billed writes for a plain turn and twenty for one with a tool", () => {
    const billed = Object.fromEntries(TURN_COSTS.map((kind) => [kind.name, kind.billed]));
    expect(billed["a plain turn"]).toBeLessThanOrEqual(9);
    expect(billed["a turn with one tool"]).toBeLessThanOrEqual(20);
  });
});
