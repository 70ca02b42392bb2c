import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideLease, shareReached } from "../../../src/people/wallet/budget.ts";
import { askFor, covers, giveBack, NO_LEASE } from "../../../src/people/wallet/lease.ts";
import { EMPTY_WALLET } from "../../../src/people/wallet/wallet.ts";

const DAY = "2026-11-30";
const CAPS = { perDay: 10_000, perMonth: null };
const amounts = (perDay: number, perMonth = perDay) => ({ perDay, perMonth });
const wallet = { ...EMPTY_WALLET, day: DAY, today: 400, month: 900 };

describe("a lease", () => {
  it("[Y-10] asks for what is needed and at most a hundredth of the cap more", () => {
    const ask = askFor(wallet, "a", 250, CAPS, 7);
    expect(ask).toEqual({
      seq: 7,
      day: DAY,
      used: amounts(400, 900),
      need: amounts(650, 1_150),
      want: amounts(750, 1_001_150),
    });
  });

  it("[Y-10] covers what fits into it, to the millionth, and nothing on another day", () => {
    const lease = { day: DAY, ...amounts(650, 1_150) };
    expect(covers(lease, wallet, "a", 250)).toBe(true);
    expect(covers(lease, wallet, "a", 251)).toBe(false);
    expect(covers({ ...lease, perMonth: 1_149 }, wallet, "a", 250)).toBe(false);
    expect(covers(lease, { ...wallet, day: "2026-12-01" }, "a", 1)).toBe(false);
    expect(covers(NO_LEASE, wallet, "a", 1)).toBe(false);
  });

  it("[Y-13] what is given back leaves what is spent and set aside", () => {
    const open = { a: { micros: 50, at: 0, day: DAY } };
    expect(giveBack({ ...wallet, open }, 8)).toMatchObject({ need: amounts(450, 950), want: amounts(450, 950) });
  });
});

describe("the deployment's caps", () => {
  it("[Y-11] grant as much as is wanted and free, at least what is needed, else say which is in the way", () => {
    const ask = { seq: 1, day: DAY, used: amounts(0), need: amounts(300), want: amounts(400) };
    expect(decideLease(amounts(9_500), ask, CAPS)).toEqual({ ok: true, value: amounts(400) });
    expect(decideLease(amounts(9_650), ask, CAPS)).toEqual({ ok: true, value: amounts(350, 400) });
    expect(decideLease(amounts(9_700), ask, CAPS)).toEqual({ ok: true, value: amounts(300, 400) });
    expect(decideLease(amounts(9_701), ask, CAPS)).toEqual({ ok: false, error: "day" });
    expect(decideLease(amounts(0), ask, { perDay: null, perMonth: 299 })).toEqual({ ok: false, error: "month" });
  });

  it("[Y-11] are never exceeded by what all hold together, whoever asks for what in whatever order", () => {
    const ask = fc.record({ who: fc.integer({ min: 0, max: 4 }), need: fc.nat(4_000), more: fc.nat(200) });
    fc.assert(
      fc.property(fc.array(ask, { maxLength: 60 }), (asks) => {
        const held = [0, 0, 0, 0, 0];
        for (const { who, need, more } of asks) {
          const others = held.reduce((sum, one, other) => sum + (other === who ? 0 : one), 0);
          const asked = { seq: 1, day: DAY, used: amounts(0), need: amounts(need), want: amounts(need + more) };
          const answer = decideLease(amounts(others), asked, CAPS);
          if (answer.ok) held[who] = answer.value.perDay;
          expect(held.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(CAPS.perDay);
        }
      }),
    );
  });

  it("[Y-15] reach 50, 80 and 100 % at exactly that; a refusal is 100 %", () => {
    const reached = [4_999, 5_000, 7_999, 8_000, 9_999, 10_000].map((used) => shareReached(used, 10_000, false));
    expect(reached).toEqual([undefined, 50, 50, 80, 80, 100]);
    expect(shareReached(10, 10_000, true)).toBe(100);
    expect(shareReached(10, null, false)).toBeUndefined();
  });
});
