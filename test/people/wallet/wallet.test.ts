import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dayOf, monthOf } from "../../../src/people/wallet/calendar.ts";
import { capsOf, deploymentCaps, NO_CAPS } from "../../../src/people/wallet/caps.ts";
import {
  asOf,
  committed,
  EMPTY_WALLET,
  joinWallets,
  MAX_EXPIRED,
  MAX_OPEN,
  RESERVED_MS,
  reserve,
  settle,
  type Wallet,
} from "../../../src/people/wallet/wallet.ts";
import { dollars, walletWords } from "../../../src/people/wallet/words.ts";
import { checkConfig } from "../../../src/protocol/check-config.ts";

const NOON = Date.UTC(2026, 10, 30, 12);
const HOUR = 3_600_000;
const at = (wallet: Wallet, now: number) => asOf(wallet, now, dayOf(now, "UTC"));
const START = at(EMPTY_WALLET, NOON);
const CAP = { perDay: 1_000, perMonth: null };

/** The wallet with this set aside. */
function withReserved(wallet: Wallet, key: string, micros: number, now = NOON): Wallet {
  const answer = reserve(at(wallet, now), { key, micros }, NO_CAPS, now);
  if (!answer.ok) throw new Error(answer.error.reason);
  return answer.value;
}

describe("setting aside", () => {
  it("[Y-2] up to the cap exactly, and not a millionth more, of a day or a month", () => {
    const spent = settle(withReserved(START, "a", 500), { key: "a", micros: 400 });
    for (const caps of [CAP, { perDay: null, perMonth: 1_000 }]) {
      expect(reserve(spent, { key: "b", micros: 600 }, caps, NOON).ok).toBe(true);
      expect(reserve(spent, { key: "b", micros: 601 }, caps, NOON)).toEqual({
        ok: false,
        error: { reason: "cap", per: caps === CAP ? "day" : "month", cap: 1_000, left: 600 },
      });
    }
  });

  it("[Y-3] again under the same key counts once, with the newer amount", () => {
    const twice = withReserved(withReserved(START, "a", 300), "a", 800);
    expect(committed(twice, "day")).toBe(800);
    expect(reserve(twice, { key: "a", micros: 1_000 }, CAP, NOON).ok).toBe(true);
  });

  it("[Y-7] 200 at once, not 201; one that is open already is no other", () => {
    let full = START;
    for (let nth = 0; nth < MAX_OPEN; nth++) full = withReserved(full, `${nth}`, 1);
    expect(reserve(full, { key: "more", micros: 1 }, NO_CAPS, NOON)).toEqual({
      ok: false,
      error: { reason: "too_many" },
    });
    expect(reserve(full, { key: "0", micros: 5 }, NO_CAPS, NOON).ok).toBe(true);
  });
});

describe("a request that asks again after its hour", () => {
  it("[Y-3] [Y-5] does not count twice", () => {
    const late = at(withReserved(START, "a", 900), NOON + RESERVED_MS);
    const again = withReserved(late, "a", 900, NOON + RESERVED_MS);
    expect(committed(again, "day")).toBe(900);
    expect(settle(again, { key: "a", micros: 30 })).toMatchObject({ today: 30, expired: {} });
  });
});

describe("settling", () => {
  it("[Y-4] counts once, at what it came to; a key that is not known changes nothing", () => {
    const open = withReserved(START, "a", 900);
    const settled = settle(open, { key: "a", micros: 30 });
    expect([settled.today, settled.month, committed(settled, "day")]).toEqual([30, 30, 30]);
    expect(settle(settled, { key: "a", micros: 30 })).toBe(settled);
    expect(settle(START, { key: "b", micros: 5 })).toBe(START);
  });

  it("[Y-5] after an hour it counts in full, and a settlement that comes later corrects that, once", () => {
    const open = withReserved(START, "a", 900);
    expect(at(open, NOON + RESERVED_MS - 1).today).toBe(0);
    const late = at(open, NOON + RESERVED_MS);
    expect([late.today, late.open]).toEqual([900, {}]);
    const corrected = settle(late, { key: "a", micros: 30 });
    expect([corrected.today, corrected.month]).toEqual([30, 30]);
    expect(settle(corrected, { key: "a", micros: 30 })).toBe(corrected);
  });

  it("[Y-5] remembers 200 that ran out; of one more the oldest stays as it was counted", () => {
    let wallet = START;
    for (let nth = 0; nth <= MAX_EXPIRED; nth++) {
      wallet = at(withReserved(wallet, `k${nth}`, 10, NOON - 10 * HOUR), NOON);
    }
    expect(Object.keys(wallet.expired)).toHaveLength(MAX_EXPIRED);
    expect(settle(wallet, { key: "k0", micros: 0 })).toBe(wallet);
    expect(settle(wallet, { key: "k1", micros: 0 }).today).toBe(wallet.today - 10);
  });
});

describe("the calendar", () => {
  it("[Y-6] is the operator's: a day ends at their midnight", () => {
    const beforeMidnight = Date.UTC(2026, 10, 30, 22, 59);
    expect(dayOf(beforeMidnight, "Europe/Berlin")).toBe("2026-11-30");
    expect(dayOf(beforeMidnight + 59_999, "Europe/Berlin")).toBe("2026-11-30");
    expect(dayOf(beforeMidnight + 60_000, "Europe/Berlin")).toBe("2026-12-01");
    expect(monthOf("2026-12-01")).toBe("2026-12");
  });

  it("[Y-6] in every zone the day changes in the millisecond of its midnight", () => {
    const START = Date.UTC(2026, 10, 30);
    const hour = 3_600_000;
    for (const zone of Intl.supportedValuesOf("timeZone")) {
      const plain = new Intl.DateTimeFormat("en-CA", {
        timeZone: zone,
        year: "numeric",
        month: "2-digit",
        day: "2-digit",
      });
      for (let at = START; at < START + 24 * hour; at += hour / 4) {
        for (const time of [at - 1, at]) expect(dayOf(time, zone), `${zone} ${time}`).toBe(plain.format(time));
      }
    }
  });

  it("[Y-6] money counts for the day it was set aside; a new day and a new month begin at 0", () => {
    const late = Date.UTC(2026, 10, 29, 23, 50);
    const open = withReserved(
      settle(withReserved(EMPTY_WALLET, "a", 5, late), { key: "a", micros: 5 }),
      "b",
      100,
      late,
    );
    const next = at(open, late + 20 * 60_000);
    expect([next.today, next.month, committed(next, "day"), committed(next, "month")]).toEqual([0, 5, 0, 105]);
    expect([settle(next, { key: "b", micros: 70 }).today, settle(next, { key: "b", micros: 70 }).month]).toEqual([
      0, 75,
    ]);
    const december = at(open, Date.UTC(2026, 11, 1));
    expect([december.today, december.month, committed(december, "month")]).toEqual([0, 0, 0]);
    expect(settle(december, { key: "b", micros: 70 })).toMatchObject({ today: 0, month: 0 });
  });
});

describe("caps", () => {
  it("[Y-9] a person's own, else those of their tier; what is absent is not capped", () => {
    const { spending } = checkConfig({
      spending: { tiers: { member: { perDay: 2.5 } }, people: { p_anna: { perMonth: 30 } } },
    });
    expect(capsOf(spending, "p_anna", "member")).toEqual({ perDay: null, perMonth: 30_000_000 });
    expect(capsOf(spending, "p_bert", "member")).toEqual({ perDay: 2_500_000, perMonth: null });
    expect(capsOf(spending, "p_bert", "guest")).toEqual({ perDay: 500_000, perMonth: null });
    expect(capsOf(spending, "p_bert", "owner")).toEqual(NO_CAPS);
    expect(deploymentCaps(spending)).toEqual({ perDay: 50_000_000, perMonth: null });
  });

  it("[Y-9] a misspelt key and a negative amount are refused", () => {
    expect(() => checkConfig({ spending: { deploymnt: {} } as never })).toThrow("did you mean deployment?");
    expect(() => checkConfig({ spending: { tiers: { guest: { perday: 1 } as never } } })).toThrow(
      "did you mean perDay?",
    );
    expect(() => checkConfig({ spending: { deployment: { perDay: -1 } } })).toThrow("spending.deployment.perDay");
  });

  it("[Y-9] a refusal says which cap, what is left, when it begins anew and who can change it", () => {
    const words = walletWords({ reason: "cap", per: "day", cap: 5_000_000, left: 400_000 }, 1_200_000, "Europe/Berlin");
    expect(words).toBe(
      'This request may cost up to $1.20, and of your $5.00 a day $0.40 is left. It begins anew at midnight (Europe/Berlin). An owner can raise your cap: "spending" in althing.config.ts.',
    );
    expect([dollars(0), dollars(1_234), dollars(10_000)]).toEqual(["$0.00", "$0.0012", "$0.01"]);
  });
});

type Step =
  | { readonly do: "reserve"; readonly key: string; readonly micros: number }
  | { readonly do: "settle"; readonly key: string; readonly share: number }
  | { readonly do: "wait"; readonly ms: number };

const key = fc.constantFrom("a", "b", "c", "d");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("reserve" as const), key, micros: fc.integer({ min: 0, max: 700 }) }),
  fc.record({ do: fc.constant("settle" as const), key, share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 8 * HOUR }) }),
);

describe("whatever happens in whatever order", () => {
  it("[Y-8] spent and set aside stay within the caps, and nothing is negative or lost", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const caps = { perDay: 1_000, perMonth: 1_500 };
        let [wallet, now] = [START, NOON];
        for (const one of steps) {
          if (one.do === "wait") now += one.ms;
          wallet = at(wallet, now);
          if (one.do === "reserve") {
            const answer = reserve(wallet, one, caps, now);
            if (answer.ok) wallet = answer.value;
          }
          if (one.do === "settle") {
            const reserved = wallet.open[one.key] ?? wallet.expired[one.key];
            const micros = Math.floor((reserved?.micros ?? 100) * one.share);
            wallet = settle(wallet, { key: one.key, micros });
            expect(settle(wallet, { key: one.key, micros: micros + 1 })).toBe(wallet);
          }
          expect(committed(wallet, "day")).toBeLessThanOrEqual(caps.perDay);
          expect(committed(wallet, "month")).toBeLessThanOrEqual(caps.perMonth);
          expect(Math.min(wallet.today, wallet.month - wallet.today)).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});

describe("the wallets of two who become one", () => {
  it("[J-71] come to what both came to, and every open key is settled once, on whichever day it was set aside", () => {
    const one = settle(withReserved(withReserved(START, "a", 40), "b", 10), { key: "b", micros: 7 });
    const other = settle(withReserved(withReserved(START, "c", 30), "d", 20), { key: "d", micros: 5 });
    const both = joinWallets(one, other);
    expect([both.today, both.month, committed(both, "day")]).toEqual([12, 12, 82]);
    const settled = ["a", "c", "a"].reduce((wallet, key) => settle(wallet, { key, micros: 1 }), both);
    expect([settled.today, settled.open]).toEqual([14, {}]);
    const late = at(both, NOON + RESERVED_MS);
    expect(settle(late, { key: "c", micros: 1 }).today).toBe(12 + 40 + 1);
  });

  it("[J-71] neither open ones nor those that ran out are more than two people may have", () => {
    const many = (prefix: string, count: number, when: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, nth) => [`${prefix}${nth}`, { micros: 1, at: when, day: START.day }]),
      );
    const full = (prefix: string, when: number): Wallet => ({
      ...START,
      open: many(prefix, MAX_OPEN, NOON),
      expired: many(`${prefix}x`, MAX_EXPIRED, when),
    });
    const both = joinWallets(full("a", 1), full("b", 2));
    expect(Object.keys(both.open)).toHaveLength(2 * MAX_OPEN);
    expect(reserve(both, { key: "z", micros: 0 }, NO_CAPS, NOON)).toEqual({ ok: false, error: { reason: "too_many" } });
    expect(Object.keys(both.expired)).toHaveLength(MAX_EXPIRED);
    expect(Object.keys(both.expired).every((key) => key.startsWith("b"))).toBe(true);
  });
});
