import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideHold, type HoldCommand } from "../../../src/holds/record/decide-hold.ts";
import { type HoldRecord, isAnswerable, recordBytes } from "../../../src/holds/record/record.ts";
import { spendHold } from "../../../src/holds/record/spend.ts";
import { ANNA, BERT, HOUR, makeHold, T0 } from "../make.ts";

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
  fc.record({ kind: fc.constantFrom("expire", "cancel", "supersede", "pass_over", "remind") }),
  fc.record({ kind: fc.constant("edit"), digest: anyDigest, successor: fc.constant("another") }),
  fc.record({ kind: fc.constant("drift"), changes: fc.constant(["input"] as const) }),
  fc.record({ kind: fc.constant("unavailable"), reason: fc.constantFrom("nobody", "not_shown") }),
  fc.record({ kind: fc.constant("release"), task: anyTask }),
);
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("command"), command, afterMs }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("spend"), task: anyTask, digest: anyDigest, afterMs }) },
);

interface Run {
  readonly record: HoldRecord;
  readonly now: number;
  /** Statuses that ended the hold, in order. */
  readonly ends: readonly string[];
  readonly spends: number;
  readonly violations: readonly string[];
}

const START: Run = { record: makeHold(), now: T0, ends: [], spends: 0, violations: [] };

describe("a hold under random commands", () => {
  it("[H-19] ends at most once, is spent at most once, and never after anything but an approval", () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
        const run = moves.reduce(play, START);
        expect(run.violations).toEqual([]);
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
        let run = START;
        for (const one of moves) {
          run = play(run, one);
          seen.add(run.spends > 0 ? "spent" : run.record.status);
        }
      }),
      { numRuns: 500, seed: 1 },
    );
    const all = ["approved", "cancelled", "changed", "declined", "expired", "open", "pending", "spent", "unavailable"];
    expect([...seen].sort()).toEqual(all);
  });
});

function play(run: Run, one: Move): Run {
  const now = run.now + one.afterMs;
  return one.kind === "spend" ? playSpend({ ...run, now }, one) : playCommand({ ...run, now }, one.command);
}

function playSpend(run: Run, execution: { readonly task: number; readonly digest: string }): Run {
  const { record, now } = run;
  const spent = spendHold(record, execution, now);
  if (!spent.ok) return run;
  const violations = failed({
    "spent a hold that was not approved": record.status === "approved",
    "spent for another task": execution.task === record.task,
    "spent for another digest": execution.digest === record.digest,
  });
  return { ...run, record: spent.value, spends: run.spends + 1, violations: [...run.violations, ...violations] };
}

function playCommand(run: Run, command: HoldCommand): Run {
  const { record: before, now } = run;
  const { next, outcome } = decideHold(before, command, now);
  const voided = before.status === "approved" && next.status === "changed";
  const violations = failed({
    "said ended without an end": outcome.kind !== "ended" || (next.status !== before.status && !isAnswerable(next)),
    "changed a hold that had ended": isAnswerable(before) || next === before || voided,
    "changed a spent hold": run.spends === 0 || next === before,
    "lost what a card stands for":
      next.id === before.id && next.digest === before.digest && next.origin === before.origin,
    "moved the deadline": next.deadline === before.deadline,
    "grew over the limit": recordBytes(next) <= 4_096,
  });
  const ends = isAnswerable(next) || next.status === before.status ? run.ends : [...run.ends, next.status];
  return { ...run, record: next, ends, violations: [...run.violations, ...violations] };
}

/** The names of the invariants that do not hold. */
function failed(invariants: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(invariants).flatMap(([name, holds]) => (holds ? [] : [name]));
}
