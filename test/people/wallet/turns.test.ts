import { describe, expect, it } from "vitest";
import { beginTurn, endTurn, joinTurns, NO_TURNS, RUNNING_MS, type Turns } from "../../../src/people/wallet/turns.ts";
import { turnWords } from "../../../src/people/wallet/words.ts";

const LIMITS = { running: 2, perMinute: 3, perHour: 5 };
const NOW = Date.UTC(2026, 10, 30, 12);

/** Begins and ends a turn. */
function one(turns: Turns, key: string, now: number): Turns {
  const answer = beginTurn(turns, key, LIMITS, now);
  if (!answer.ok) throw new Error(turnWords(answer.error));
  return endTurn(answer.value, key);
}

function begun(turns: Turns, key: string, now = NOW): Turns {
  const answer = beginTurn(turns, key, LIMITS, now);
  if (!answer.ok) throw new Error(turnWords(answer.error));
  return answer.value;
}

describe("turns of a person", () => {
  it("[Y-30] [trap 63] two run at once, the third is refused until one ends", () => {
    const two = begun(begun(NO_TURNS, "a"), "b");
    expect(beginTurn(two, "c", LIMITS, NOW)).toEqual({ ok: false, error: { reason: "running", limit: 2 } });
    expect(beginTurn(endTurn(two, "a"), "c", LIMITS, NOW).ok).toBe(true);
  });

  it("[Y-30] one that runs already is counted once, however often it is told", () => {
    const twice = begun(begun(NO_TURNS, "a"), "a");
    expect([Object.keys(twice.running), twice.minute.count]).toEqual([["a"], 1]);
    expect(endTurn(twice, "b")).toBe(twice);
  });

  it("[Y-31] three begin within a minute, not four; with the next minute it goes on", () => {
    const three = ["a", "b", "c"].reduce((turns, key) => one(turns, key, NOW), NO_TURNS);
    const refused = beginTurn(three, "d", LIMITS, NOW + 59_000);
    expect(refused).toEqual({ ok: false, error: { reason: "minute", limit: 3, inMs: 1_000 } });
    expect(beginTurn(three, "d", LIMITS, NOW + 60_000).ok).toBe(true);
  });

  it("[Y-31] five begin within an hour, not six", () => {
    const five = ["a", "b", "c", "d", "e"].reduce((turns, key, nth) => one(turns, key, NOW + nth * 60_000), NO_TURNS);
    const refused = beginTurn(five, "f", LIMITS, NOW + 3_599_000);
    expect(refused).toEqual({ ok: false, error: { reason: "hour", limit: 5, inMs: 1_000 } });
    expect(beginTurn(five, "f", LIMITS, NOW + 3_600_000).ok).toBe(true);
  });

  it("[Y-34] one whose end is never told counts for 15 minutes", () => {
    const two = begun(begun(NO_TURNS, "a"), "b");
    expect(beginTurn(two, "c", LIMITS, NOW + RUNNING_MS - 1).ok).toBe(false);
    const later = beginTurn(two, "c", LIMITS, NOW + RUNNING_MS);
    expect(later.ok && Object.keys(later.value.running)).toEqual(["c"]);
  });

  it("[Y-32] the refusal names the limit and what to do", () => {
    expect(turnWords({ reason: "running", limit: 2 })).toBe(
      "You have 2 turns running, the limit: wait for one to end, then try again.",
    );
    expect(turnWords({ reason: "minute", limit: 20, inMs: 12_300 })).toBe(
      "You began 20 turns within a minute, the limit: try again in 13 s.",
    );
  });
});

describe("the turns of two who become one", () => {
  it("[J-71] run on together, and windows count what both began until the later one ends", () => {
    const first = begun(NO_TURNS, "a", NOW);
    const second = one(begun(NO_TURNS, "b", NOW + 30_000), "c", NOW + 30_000);
    const both = joinTurns(first, second, NOW + 40_000);
    expect(both.running).toEqual({ a: NOW, b: NOW + 30_000 });
    expect(both.minute).toEqual({ since: NOW + 30_000, count: 3 });
    expect(beginTurn(endTurn(both, "a"), "d", LIMITS, NOW + 61_000)).toEqual({
      ok: false,
      error: { reason: "minute", limit: 3, inMs: 29_000 },
    });
    expect(joinTurns(first, NO_TURNS, NOW)).toEqual(first);
    expect(joinTurns(NO_TURNS, first, NOW).minute).toEqual(first.minute);
    expect(joinTurns(first, second, NOW + 95_000).minute.count).toBe(0);
  });
});
