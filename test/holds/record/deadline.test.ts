import { describe, expect, it } from "vitest";
import { GRACE_MS, holdDeadline, isOverdue, reminderAt } from "../../../src/holds/record/deadline.ts";
import { decideHold } from "../../../src/holds/record/decide-hold.ts";
import { isGraceOver, nextDueAt } from "../../../src/holds/record/due.ts";
import { HOUR, makeApproved, makeDescription, makeHold, T0 } from "../make.ts";

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
    expect(nextDueAt(hold, T0, "private")).toBe(T0 + 23 * HOUR);
    const { next: reminded } = decideHold(hold, { kind: "remind" }, T0 + 23 * HOUR);
    expect(nextDueAt(reminded, T0 + 23 * HOUR, "private")).toBe(T0 + 24 * HOUR);
    const { next: expired } = decideHold(reminded, { kind: "expire" }, T0 + 24 * HOUR);
    expect(nextDueAt(expired, T0 + 24 * HOUR, "private")).toBeNull();
    expect(nextDueAt(makeApproved(), T0, "private")).toBeNull();
  });

  it("[H-23] is the deadline alone for a short card", () => {
    const hold = makeHold({ description: makeDescription({ deadlineMs: HOUR }) });
    expect(nextDueAt(hold, T0, "private")).toBe(T0 + HOUR);
  });

  it("[H-22] is now for a hold that is overdue", () => {
    expect(nextDueAt(makeHold(), T0 + 30 * HOUR, "private")).toBe(T0 + 30 * HOUR);
  });

  it("[W-42] is the end of the turn's patience before all else, in a shared conversation", () => {
    const hold = makeHold();
    expect(nextDueAt(hold, T0, "shared")).toBe(T0 + GRACE_MS);
    expect(nextDueAt(hold, T0 + GRACE_MS - 1, "shared")).toBe(T0 + GRACE_MS);
    expect(nextDueAt(hold, T0 + GRACE_MS, "shared")).toBe(T0 + 23 * HOUR);
    const { next: released } = decideHold(hold, { kind: "release", task: 99 }, T0 + 1);
    expect(nextDueAt(released, T0 + 1, "shared")).toBe(T0 + 23 * HOUR);
    const short = makeHold({ description: makeDescription({ deadlineMs: 1_000 }) });
    expect(nextDueAt(short, T0, "shared")).toBe(T0 + 1_000);
  });

  it("[W-42] the patience of a turn is over at its instant, of an open hold in a shared conversation alone", () => {
    const hold = makeHold();
    const at = T0 + GRACE_MS;
    expect(isGraceOver(hold, at - 1, "shared")).toBe(false);
    expect(isGraceOver(hold, at, "shared")).toBe(true);
    expect(isGraceOver(hold, at + HOUR, "private")).toBe(false);
    expect(isGraceOver(makeApproved(), at, "shared")).toBe(false);
    expect(isGraceOver(decideHold(hold, { kind: "release", task: 99 }, T0 + 1).next, at, "shared")).toBe(false);
  });
});
