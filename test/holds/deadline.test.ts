import { describe, expect, it } from "vitest";
import { holdDeadline, isOverdue, reminderAt } from "../../src/holds/deadline.ts";
import { decideHold } from "../../src/holds/decide-hold.ts";
import { nextDueAt } from "../../src/holds/due.ts";
import { HOUR, makeApproved, makeDescription, makeHold, T0 } from "./make.ts";

const UNREADABLE: readonly unknown[] = [
  Number.NaN,
  -1,
  Number.POSITIVE_INFINITY,
  1e300,
  "3600000",
  "",
  null,
  true,
  {},
  [],
];

describe("holdDeadline", () => {
  it.each([
    [undefined, T0 + 24 * HOUR],
    [HOUR, T0 + HOUR],
    [1.9, T0 + 1],
    [0, T0],
  ])("[H-20] reads %s", (deadlineMs, expected) => {
    expect(holdDeadline(T0, deadlineMs)).toBe(expected);
  });

  it.each(UNREADABLE.map((value) => [value]))("[H-21] takes %s for expired", (value) => {
    expect(holdDeadline(T0, value)).toBe(T0);
  });
});

describe("isOverdue", () => {
  it.each(UNREADABLE.map((value) => [value]))("[H-21] takes a stored %s for expired", (value) => {
    expect(isOverdue(value, T0)).toBe(true);
  });

  it("[H-22] begins at the very instant of the deadline", () => {
    expect(isOverdue(T0, T0 - 1)).toBe(false);
    expect(isOverdue(T0, T0)).toBe(true);
  });
});

describe("reminderAt", () => {
  it.each([
    ["a day", 24 * HOUR, T0 + 23 * HOUR],
    ["an hour and a millisecond", HOUR + 1, T0 + 1],
    ["an hour", HOUR, null],
    ["a minute", 60_000, null],
  ])("[H-23] of a card that stays for %s", (_what, forMs, expected) => {
    expect(reminderAt(T0, T0 + forMs)).toBe(expected);
  });

  it("[H-21] is none for a deadline that cannot be read", () => {
    expect(reminderAt(T0, "soon")).toBeNull();
  });
});

describe("nextDueAt", () => {
  it("[H-23] is the reminder first, then the deadline, then never", () => {
    const hold = makeHold();
    expect(nextDueAt(hold, T0)).toBe(T0 + 23 * HOUR);
    const { next: reminded } = decideHold(hold, { kind: "remind" }, T0 + 23 * HOUR);
    expect(nextDueAt(reminded, T0 + 23 * HOUR)).toBe(T0 + 24 * HOUR);
    const { next: expired } = decideHold(reminded, { kind: "expire" }, T0 + 24 * HOUR);
    expect(nextDueAt(expired, T0 + 24 * HOUR)).toBeNull();
    expect(nextDueAt(makeApproved(), T0)).toBeNull();
  });

  it("[H-23] is the deadline alone for a short card", () => {
    const hold = makeHold({ description: makeDescription({ deadlineMs: HOUR }) });
    expect(nextDueAt(hold, T0)).toBe(T0 + HOUR);
  });

  it("[H-22] is now for a hold that is overdue", () => {
    expect(nextDueAt(makeHold(), T0 + 30 * HOUR)).toBe(T0 + 30 * HOUR);
  });
});
