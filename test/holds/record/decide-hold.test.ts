import { describe, expect, it } from "vitest";
import { BOUND_PARTS } from "../../../src/holds/bound/call-seal.ts";
import { decideHold, type HoldCommand } from "../../../src/holds/record/decide-hold.ts";
import { type HoldRecord, recordBytes } from "../../../src/holds/record/record.ts";
import { spendHold } from "../../../src/holds/record/spend.ts";
import { ANNA, BERT, HOUR, makeApproved, makeDeclined, makeDescription, makeHold, T0 } from "../make.ts";

const NOW = T0 + 60_000;
const { digest } = makeHold();
const APPROVE: HoldCommand = { kind: "approve", by: ANNA, digest };
const DECLINE: HoldCommand = { kind: "decline", by: ANNA, digest };

const ENDINGS: readonly (readonly [string, HoldCommand, object])[] = [
  ["approve", APPROVE, { status: "approved", decision: { by: ANNA, at: NOW }, spentAt: null }],
  [
    "decline",
    { ...DECLINE, note: "not now" },
    { status: "declined", decision: { by: ANNA, at: NOW, note: "not now" } },
  ],
  ["cancel", { kind: "cancel" }, { status: "cancelled", endedAt: NOW, reason: "stopped" }],
  ["supersede", { kind: "supersede" }, { status: "cancelled", endedAt: NOW, reason: "superseded" }],
  ["drift", { kind: "drift", changes: ["version"] }, { status: "changed", endedAt: NOW, changes: ["version"] }],
  [
    "unavailable",
    { kind: "unavailable", reason: "not_shown" },
    { status: "unavailable", endedAt: NOW, reason: "not_shown" },
  ],
];

const PENDING = decideHold(makeHold(), { kind: "release", task: 9 }, T0 + 1_000).next;

describe("decideHold of an answerable hold", () => {
  it.each(ENDINGS)("[H-14] %s ends an open hold with the fields of its status alone", (_name, command, expected) => {
    const { remindedAt: _reminded, ...base } = makeHold();
    expect(decideHold(makeHold(), command, NOW)).toEqual({
      next: { ...base, ...expected },
      outcome: { kind: "ended" },
    });
  });

  it.each(ENDINGS)(
    "[H-24] [trap 26] %s ends a pending hold just so, under its new task",
    (_name, command, expected) => {
      const { remindedAt: _reminded, ...base } = makeHold();
      const next = { ...base, task: 9, ...expected };
      expect(decideHold(PENDING, command, NOW)).toEqual({ next, outcome: { kind: "ended" } });
    },
  );

  it("[H-22] expires at the deadline and not before", () => {
    const { remindedAt: _reminded, ...base } = makeHold();
    const at = T0 + 24 * HOUR;
    expect(decideHold(makeHold(), { kind: "expire" }, at - 1)).toEqual({
      next: makeHold(),
      outcome: { kind: "early" },
    });
    expect(decideHold(makeHold(), { kind: "expire" }, at)).toEqual({
      next: { ...base, status: "expired", endedAt: at },
      outcome: { kind: "ended" },
    });
  });

  it.each([
    ...ENDINGS.map(([, command]) => command),
    { kind: "release", task: 9 } as const,
    { kind: "remind" } as const,
  ])("[H-22] finds an overdue hold expired: $kind", (command) => {
    const step = decideHold(makeHold(), command, T0 + 24 * HOUR);
    expect(step).toMatchObject({ next: { status: "expired" }, outcome: { kind: "lost" } });
  });

  it("[H-21] finds a hold with a damaged deadline expired", () => {
    const damaged = JSON.parse(JSON.stringify({ ...makeHold(), deadline: Number.NaN })) as HoldRecord;
    expect(decideHold(damaged, APPROVE, NOW)).toMatchObject({ next: { status: "expired" }, outcome: { kind: "lost" } });
  });

  it.each([APPROVE, DECLINE])("[H-11] takes no press with another digest: $kind", (command) => {
    const step = decideHold(makeHold(), { ...command, digest: "0".repeat(64) }, NOW);
    expect(step).toEqual({ next: makeHold(), outcome: { kind: "stale" } });
  });

  it("[H-15] refuses a note that does not fit, with nothing decided, and takes one that does", () => {
    const room = 3_840 - recordBytes(decideHold(makeHold(), { ...APPROVE, note: "x" }, NOW).next) + 1;
    const fits = decideHold(makeHold(), { ...APPROVE, note: "x".repeat(room) }, NOW);
    expect(fits.outcome).toEqual({ kind: "ended" });
    const refused = decideHold(makeHold(), { ...APPROVE, note: "x".repeat(room + 1) }, NOW);
    expect(refused).toEqual({ next: makeHold(), outcome: { kind: "too_large", excessBytes: 1 } });
    const changes = [...BOUND_PARTS, "approver", "deny rule"] as const;
    expect(recordBytes(decideHold(fits.next, { kind: "drift", changes }, NOW).next)).toBeLessThanOrEqual(4_096);
    const spent = spendHold(fits.next, { task: 7, digest }, NOW);
    expect(spent.ok && recordBytes(spent.value)).toBeLessThanOrEqual(4_096);
  });

  it("[H-15] fits every end without a note beside the largest record that may be opened", () => {
    const room = 3_072 - recordBytes(makeHold({ description: makeDescription({ text: "" }) }));
    const largest = makeHold({ description: makeDescription({ text: "x".repeat(room) }) });
    const by = { principalId: `p_${"0".repeat(26)}`, name: "\u0001".repeat(500) };
    const released = decideHold(largest, { kind: "release", task: Number.MAX_SAFE_INTEGER }, NOW).next;
    for (const [, command] of ENDINGS) {
      const full = { ...command, ...("by" in command ? { by, digest: largest.digest, note: "" } : {}) } as HoldCommand;
      const step = decideHold(released, full, NOW);
      expect(step.outcome).toEqual({ kind: "ended" });
      expect(recordBytes(step.next)).toBeLessThanOrEqual(4_096);
    }
    const approved = decideHold(released, { kind: "approve", by, digest: largest.digest }, NOW).next;
    const changes = [...BOUND_PARTS, "approver", "deny rule"] as const;
    expect(recordBytes(decideHold(approved, { kind: "drift", changes }, NOW).next)).toBeLessThanOrEqual(4_096);
  });

  it("[H-24] moves to the release task with card, digest and deadline", () => {
    const step = decideHold(makeHold(), { kind: "release", task: 9 }, NOW);
    expect(step).toEqual({
      next: { ...makeHold(), status: "pending", task: 9, origin: 7, releasedAt: NOW },
      outcome: { kind: "released" },
    });
    expect(decideHold(step.next, { kind: "release", task: 9 }, NOW + 1)).toEqual({
      next: step.next,
      outcome: { kind: "repeated" },
    });
  });

  it("[H-24] does not move once it was answered", () => {
    const approved = makeApproved();
    expect(decideHold(approved, { kind: "release", task: 9 }, NOW)).toEqual({
      next: approved,
      outcome: { kind: "lost" },
    });
  });

  it("[H-23] is reminded of once, when the reminder is due, also after it moved", () => {
    for (const hold of [makeHold(), PENDING]) {
      const early = decideHold(hold, { kind: "remind" }, T0 + 23 * HOUR - 1);
      expect(early).toEqual({ next: hold, outcome: { kind: "early" } });
      const due = decideHold(hold, { kind: "remind" }, T0 + 23 * HOUR);
      expect(due).toEqual({ next: { ...hold, remindedAt: T0 + 23 * HOUR }, outcome: { kind: "reminded" } });
      expect(decideHold(due.next, { kind: "remind" }, T0 + 23 * HOUR + 1).outcome).toEqual({ kind: "repeated" });
    }
  });
});

describe("decideHold of a hold that has ended", () => {
  const commands: readonly HoldCommand[] = [
    ...ENDINGS.map(([, command]) => command),
    { kind: "expire" },
    { kind: "release", task: 9 },
    { kind: "remind" },
  ];
  const ended: readonly (readonly [string, HoldRecord])[] = [
    ...ENDINGS.map(([name, command]) => [name, decideHold(makeHold(), command, NOW).next] as const),
    ["expire", decideHold(makeHold(), { kind: "expire" }, T0 + 24 * HOUR).next],
  ];
  const pairs = ended
    .flatMap(([name, record]) => commands.map((command) => [command.kind, name, command, record] as const))
    .filter(([command, name]) => !(command === "drift" && name === "approve"));

  it.each(pairs)("[H-17] [trap 26] %s after %s changes nothing", (_command, name, command, record) => {
    const step = decideHold(record, command, NOW + 1);
    expect(step.next).toBe(record);
    expect(step.outcome).toEqual({ kind: name === command.kind ? "repeated" : "lost" });
  });

  it.each([
    [makeApproved(), APPROVE, "repeated"],
    [makeApproved(), { ...APPROVE, by: BERT }, "lost"],
    [makeApproved(), { ...APPROVE, digest: "0".repeat(64) }, "lost"],
    [makeApproved(), DECLINE, "lost"],
    [makeDeclined(), DECLINE, "repeated"],
    [makeDeclined(), { ...DECLINE, by: BERT }, "lost"],
    [makeDeclined(), APPROVE, "lost"],
  ] as const)("[H-18] tells a repeat from a conflict (%#)", (record, command, outcome) => {
    expect(decideHold(record, command as HoldCommand, NOW)).toEqual({ next: record, outcome: { kind: outcome } });
  });

  it("[H-13] drift makes an unspent approval void and keeps who had given it", () => {
    const step = decideHold(makeApproved(), { kind: "drift", changes: ["input"] }, NOW);
    expect(step.outcome).toEqual({ kind: "ended" });
    expect(step.next).toMatchObject({ status: "changed", changes: ["input"], decision: makeApproved().decision });
    expect(step.next).not.toHaveProperty("spentAt");
  });

  it("[H-12] drift after the approval was spent comes too late", () => {
    const spent = { ...makeApproved(), spentAt: NOW };
    const step = decideHold(spent, { kind: "drift", changes: ["input"] }, NOW + 1);
    expect(step).toEqual({ next: spent, outcome: { kind: "lost" } });
  });
});
