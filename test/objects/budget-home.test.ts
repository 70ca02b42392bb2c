import { describe, expect, it } from "vitest";
import { BudgetHome } from "../../src/objects/budget/budget-home.ts";
import { checkConfig } from "../../src/protocol/check-config.ts";
import type { NoticeDraft } from "../../src/protocol/notices.ts";
import { NodeStorage } from "../kit/node-storage.ts";

const NOON = Date.UTC(2026, 10, 30, 12);
const DAY = "2026-11-30";
const amounts = (micros: number) => ({ perDay: micros, perMonth: micros });

/** A budget of 10 dollars a day and 100 a month, with two owners. */
function begin() {
  const storage = new NodeStorage();
  const told: [string, NoticeDraft][] = [];
  const world = { now: NOON, armedFor: null as number | null, isAway: false, told };
  const open = () =>
    new BudgetHome({
      storage,
      alarm: {
        set: (at) => {
          world.armedFor = at;
        },
        delete: () => undefined,
      },
      clock: { now: () => world.now },
      config: checkConfig({ spending: { deployment: { perDay: 10, perMonth: 100 } } }),
      owners: () => Promise.resolve(["p_o1", "p_o2"]),
      principal: (id) => ({
        notify(notice) {
          if (world.isAway && id === "p_o2") return Promise.reject(new Error("away"));
          told.push([id, notice]);
          return Promise.resolve();
        },
      }),
      report: { report: () => undefined },
    });
  return { world, open, home: open() };
}

const used = (micros: number, seq: number, day = DAY) => ({
  seq,
  day,
  used: amounts(micros),
  need: amounts(micros),
  want: amounts(micros),
});

describe("the budget's alerts", () => {
  it("[Y-15] at 50 and 80 % of day and month, each once, whatever is told again and after a restart", async () => {
    const { world, home, open } = begin();
    home.hold("p_a", used(4_999_999, 1));
    expect(world.armedFor).toBeNull();
    home.hold("p_a", used(5_000_000, 2));
    home.hold("p_a", used(6_000_000, 3));
    expect(world.armedFor).toBe(NOON);
    await home.onAlarm();
    const later = open();
    later.hold("p_a", used(8_500_000, 4));
    await later.onAlarm();
    await later.onAlarm();
    expect(world.told.map(([id, { text }]) => `${id} ${text}`)).toEqual([
      "p_o1 50 % of the deployment's $10.00 for 2026-11-30 is spent.",
      "p_o2 50 % of the deployment's $10.00 for 2026-11-30 is spent.",
      "p_o1 80 % of the deployment's $10.00 for 2026-11-30 is spent.",
      "p_o2 80 % of the deployment's $10.00 for 2026-11-30 is spent.",
    ]);
    for (let day = 1; day <= 5; day++) later.hold(`p_${day}`, used(10_000_000, 1, `2026-11-0${day}`));
    await later.onAlarm();
    expect(world.told.map(([, { text }]) => text)).toContain("50 % of the deployment's $100.00 for 2026-11 is spent.");
  });

  it("[Y-15] an owner who could not be told is told later, under the same id for those who were", async () => {
    const { world, home } = begin();
    home.hold("p_a", used(5_000_000, 1));
    world.isAway = true;
    await home.onAlarm();
    expect(world.armedFor).toBe(NOON + 60_000);
    world.isAway = false;
    await home.onAlarm();
    expect(world.told.map(([id, notice]) => `${id} ${notice.id}`)).toEqual([
      "p_o1 spending:2026-11-30:50",
      "p_o1 spending:2026-11-30:50",
      "p_o2 spending:2026-11-30:50",
    ]);
  });
});

describe("the budget's holders", () => {
  it("[Y-11] a refused one goes on to hold what it held, and others have the rest", () => {
    const { home } = begin();
    expect(home.hold("p_a", used(6_000_000, 1)).ok).toBe(true);
    expect(home.hold("p_b", used(4_000_001, 1))).toEqual({ ok: false, error: "day" });
    expect(home.hold("p_b", { ...used(4_000_000, 2), used: amounts(0) }).ok).toBe(true);
    expect(home.hold("p_b", { ...used(4_000_001, 3), used: amounts(0) })).toEqual({ ok: false, error: "day" });
    expect(home.hold("p_c", { ...used(1, 1), used: amounts(0) })).toEqual({ ok: false, error: "day" });
  });

  it("[Y-6] [Y-11] a new day has its whole cap, within what the month has left", () => {
    const { world, home } = begin();
    home.hold("p_a", used(10_000_000, 1));
    world.now += 24 * 3_600_000;
    expect(home.hold("p_b", used(10_000_000, 1, "2026-12-01")).ok).toBe(true);
    expect(home.spent()).toEqual({
      day: "2026-12-01",
      people: [{ principalId: "p_b", today: 10_000_000, month: 10_000_000 }],
    });
  });
});

describe("two holders who become one", () => {
  it("[J-71] hold and spent together what they did before, once, and the former is in no list", () => {
    const { home } = begin();
    home.hold("p_a", used(3_000_000, 4));
    home.hold("p_b", used(2_000_000, 9));
    home.move("p_b", "p_a", 5);
    home.move("p_b", "p_a", 5);
    expect(home.spent().people).toEqual([{ principalId: "p_a", today: 5_000_000, month: 5_000_000 }]);
    expect(home.hold("p_c", used(5_000_001, 1))).toEqual({ ok: false, error: "day" });
    expect(home.hold("p_c", { ...used(5_000_000, 2), used: amounts(0) }).ok).toBe(true);
  });

  it("[J-71] what either asked before they were one is overtaken, and what the survivor asked after counts alone", () => {
    const { home } = begin();
    home.hold("p_a", used(3_000_000, 4));
    home.hold("p_b", used(2_000_000, 9));
    home.move("p_b", "p_a", 5);
    expect(home.hold("p_b", used(2_000_000, 10))).toEqual({ ok: false, error: "overtaken" });
    expect(home.hold("p_a", used(3_000_000, 4))).toEqual({ ok: false, error: "overtaken" });
    home.hold("p_d", used(1_000_000, 1));
    home.hold("p_a", used(6_000_000, 7));
    home.move("p_d", "p_a", 6);
    expect(home.spent().people).toEqual([{ principalId: "p_a", today: 6_000_000, month: 6_000_000 }]);
  });

  it("[J-71] of another day or month only that part counts, and whoever held nothing is taken over as they are", () => {
    const { home, world } = begin();
    home.hold("p_b", used(2_000_000, 1, "2026-11-29"));
    home.move("p_b", "p_a", 1);
    expect(home.spent().people).toEqual([{ principalId: "p_a", today: 0, month: 2_000_000 }]);
    home.hold("p_c", used(1_000_000, 1));
    home.move("p_a", "p_c", 2);
    expect(home.spent().people).toEqual([{ principalId: "p_c", today: 1_000_000, month: 3_000_000 }]);
    world.now += 24 * 3_600_000;
    home.hold("p_d", used(1, 1, "2026-12-01"));
    home.move("p_c", "p_d", 2);
    expect(home.spent().people).toEqual([{ principalId: "p_d", today: 1, month: 1 }]);
    home.move("p_nobody", "p_d", 9);
    expect(home.spent().people).toHaveLength(1);
  });
});
