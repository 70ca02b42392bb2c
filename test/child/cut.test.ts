import { describe, expect, it } from "vitest";
import { lines, send } from "../kernel/make.ts";
import { Family } from "./family.ts";

const EXPECTED = ["user: go", "assistant: call ask", "tool_result: Forty-two.", "assistant: Heard: Forty-two."];

async function played(options: ConstructorParameters<typeof Family>[0] = {}): Promise<Family> {
  const family = new Family(options);
  while (!(await isSaid(family))) await family.owner.run(() => true);
  await family.run();
  return family;
}

/** The client says it again until it has a receipt. */
async function isSaid(family: Family): Promise<boolean> {
  await family.owner.run(() => true);
  try {
    return send(family.owner, "go").ok;
  } catch (death) {
    if (family.owner.crashes.isAlive) throw death;
    return false;
  }
}

function expectOnce(family: Family, where: string, expected = EXPECTED): void {
  expect(lines(family.owner), where).toEqual(expected);
  expect(new Set(family.created).size, where).toBe(1);
  expect(family.created, `${where}: created once`).toHaveLength(1);
  expect(family.keys, `${where}: gone`).toEqual([]);
  expect(family.owner.control.tasks, where).toEqual({});
  expect(family.owner.control.outbox, where).toEqual([]);
  expect(family.owner.alarm.armedFor, where).toBeNull();
}

describe("dying", { timeout: 60_000 }, () => {
  it("[O-12] [E-17] [R-29] [R-30] the owner, before and after each of its commits, deliveries and calls", async () => {
    const whole = await played();
    expectOnce(whole, "uncut");
    const points = whole.owner.crashes.passed;
    expect(points.length).toBeGreaterThan(12);
    for (const index of points.keys()) {
      for (const killOwnerAt of [[index], [index, index + 2]]) {
        const family = await played({ killOwnerAt });
        expectOnce(family, `owner killed at ${killOwnerAt.join()} (${points[index]})`);
      }
    }
  });

  it("[O-12] [E-17] the owned one, before and after each of its own", async () => {
    const points: string[] = [];
    const seen = await played({ onGone: (child) => void points.push(...child.crashes.passed) });
    expectOnce(seen, "uncut");
    expect(points.length).toBeGreaterThan(8);
    for (const index of points.keys()) {
      for (const killChildAt of [[index], [index, index + 2]]) {
        const family = await played({ killChildAt });
        expectOnce(family, `owned one killed at ${killChildAt.join()} (${points[index]})`);
      }
    }
  });

  it("[O-12] both, at pairs of points all over their lives", async () => {
    const points: string[] = [];
    const whole = await played({ onGone: (child) => void points.push(...child.crashes.passed) });
    for (const owner of whole.owner.crashes.passed.keys()) {
      for (let child = owner % 4; child < points.length; child += 4) {
        const family = await played({ killOwnerAt: [owner], killChildAt: [child] });
        expectOnce(family, `owner killed at ${owner}, the owned one at ${child}`);
      }
    }
  });
});
