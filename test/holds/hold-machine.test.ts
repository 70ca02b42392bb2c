import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideHold, type HoldCommand } from "../../src/holds/decide-hold.ts";
import { type HoldRecord, isAnswerable, recordBytes } from "../../src/holds/record.ts";
import { spendHold } from "../../src/holds/spend.ts";
import { ANNA, BERT, HOUR, makeHold, T0 } from "./make.ts";

type Move =
  | { readonly kind: "command"; readonly command: HoldCommand; readonly afterMs: number }
  | { readonly kind: "spend"; readonly task: number; readonly digest: string; readonly afterMs: number };

const { digest } = makeHold();
const anyDigest = fc.oneof(
  { weight: 9, arbitrary: fc.constant(digest) },
  { weight: 1, arbitrary: fc.constant("0".repeat(64)) },
);
const anyTask = fc.constantFrom(7, 9);
const afterMs = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: HOUR }) },
  { weight: 1, arbitrary: fc.constant(25 * HOUR) },
);

const press = fc.record({
  kind: fc.constantFrom("approve", "decline"),
  by: fc.constantFrom(ANNA, BERT),
  digest: anyDigest,
  note: fc.string({ maxLength: 1_000 }),
});
const command: fc.Arbitrary<HoldCommand> = fc.oneof(
  { weight: 4, arbitrary: press },
  fc.record({ kind: fc.constantFrom("expire", "cancel", "supersede", "remind") }),
  fc.record({ kind: fc.constant("drift"), changes: fc.constant(["input"] as const) }),
  fc.record({ kind: fc.constant("unavailable"), reason: fc.constantFrom("nobody", "not_shown") }),
  fc.record({ kind: fc.constant("release"), task: anyTask }),
);
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("command"), command, afterMs }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("spend"), task: anyTask, digest: anyDigest, afterMs }) },
);

interface Run {
  record: HoldRecord;
  now: number;
  /** Statuses that ended the hold, in order. */
  ends: string[];
  spends: number;
}

describe("a hold under random commands", () => {
  it("[H-19] ends at most once, is spent at most once, and never after anything but an approval", () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
        const run: Run = { record: makeHold(), now: T0, ends: [], spends: 0 };
        for (const one of moves) play(run, one);
        expect(run.spends).toBeLessThanOrEqual(1);
        expect([[], [run.record.status], ["approved", "changed"]]).toContainEqual(run.ends);
      }),
      { numRuns: 2_000 },
    );
  });

  it("[H-19] reaches every status, so that the property above is about all of them", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(move, { minLength: 5, maxLength: 30 }), (moves) => {
        const run: Run = { record: makeHold(), now: T0, ends: [], spends: 0 };
        for (const one of moves) {
          play(run, one);
          seen.add(run.spends > 0 ? "spent" : run.record.status);
        }
      }),
      { numRuns: 500, seed: 1 },
    );
    expect([...seen].sort()).toEqual(
      ["approved", "cancelled", "changed", "declined", "expired", "open", "pending", "spent", "unavailable"].sort(),
    );
  });
});

function play(run: Run, one: Move): void {
  run.now += one.afterMs;
  const before = run.record;
  if (one.kind === "spend") {
    const spent = spendHold(before, one, run.now);
    if (!spent.ok) return;
    expect(before.status).toBe("approved");
    expect(one).toMatchObject({ digest: before.digest, task: before.task });
    run.record = spent.value;
    run.spends++;
    return;
  }
  const { next, outcome } = decideHold(before, one.command, run.now);
  if (outcome.kind === "ended") expect(next.status === before.status).toBe(false);
  if (!isAnswerable(before) && next !== before) expect([before.status, next.status]).toEqual(["approved", "changed"]);
  if (!isAnswerable(next) && next.status !== before.status) run.ends.push(next.status);
  if (run.spends > 0) expect(next).toBe(before);
  expect(next).toMatchObject({
    id: before.id,
    digest: before.digest,
    deadline: before.deadline,
    origin: before.origin,
  });
  expect(recordBytes(next)).toBeLessThanOrEqual(4_096);
  run.record = next;
}
