import { describe, expect, it } from "vitest";
import { decideHold } from "../../../src/holds/record/decide-hold.ts";
import type { HoldRecord } from "../../../src/holds/record/record.ts";
import { spendHold } from "../../../src/holds/record/spend.ts";
import { makeApproved, makeDeclined, makeHold, T0 } from "../make.ts";

const NOW = T0 + 5_000;
const { digest, task } = makeApproved();

describe("spendHold", () => {
  it("[H-12] marks the approval as spent", () => {
    const spent = spendHold(makeApproved(), { task, digest }, NOW);
    expect(spent).toEqual({ ok: true, value: { ...makeApproved(), spentAt: NOW } });
  });

  const released = decideHold(makeHold(), { kind: "release", task: 9 }, NOW).next;
  const refused: readonly (readonly [string, HoldRecord | undefined, number, string, string])[] = [
    ["no hold", undefined, task, digest, "not_approved"],
    ["an open hold", makeHold(), task, digest, "not_approved"],
    ["a pending hold", released, 9, digest, "not_approved"],
    ["a declined hold", makeDeclined(), task, digest, "not_approved"],
    [
      "a changed hold",
      decideHold(makeApproved(), { kind: "drift", changes: [] }, NOW).next,
      task,
      digest,
      "not_approved",
    ],
    ["a spent hold", { ...makeApproved(), spentAt: NOW }, task, digest, "already_spent"],
    ["another task", makeApproved(), task + 1, digest, "other_task"],
    ["another digest", makeApproved(), task, "0".repeat(64), "changed"],
  ];
  it.each(refused)("[H-12] refuses %s", (_what, record, forTask, forDigest, error) => {
    expect(spendHold(record, { task: forTask, digest: forDigest }, NOW)).toEqual({ ok: false, error });
  });
});
