import { describe, expect, it } from "vitest";
import type { BoundCall } from "../../../src/holds/bound/bound-call.ts";
import { sealCall } from "../../../src/holds/bound/call-seal.ts";
import { decideGate, type GateFacts } from "../../../src/holds/gate/gate.ts";
import { decideHold, type HoldCommand } from "../../../src/holds/record/decide-hold.ts";
import type { HoldRecord } from "../../../src/holds/record/record.ts";
import { spendHold } from "../../../src/holds/record/spend.ts";
import type { Described } from "../../../src/holds/rule/describe.ts";
import {
  alreadySpentText,
  bornExpiredText,
  declinedOutText,
  deniedText,
  pendingText,
  textForModel,
  unavailableText,
} from "../../../src/holds/texts.ts";
import { ANNA, HOUR, makeApproved, makeCall, makeDeclined, makeDescription, makeHold, T0 } from "../make.ts";

const NOW = T0 + 60_000;
const TOOL = "send_webhook";
const HELD: Described = { kind: "held", description: makeDescription(), failures: [] };
const FREE: Described = { kind: "free" };
const DENIED: Described = { kind: "denied", ruleId: "strict", reason: "no webhooks", failures: [] };
const PENDING_TEXT = pendingText(TOOL);

function facts(changes: Partial<GateFacts>): GateFacts {
  return {
    tool: TOOL,
    existing: undefined,
    described: HELD,
    bound: sealCall(makeCall()),
    approverMay: true,
    hasAudience: true,
    allowed: undefined,
    declinedOut: false,
    now: NOW,
    ...changes,
  };
}

const after = (command: HoldCommand, at = T0 + 1_000) => decideHold(makeHold(), command, at).next;
const drifted = (record: HoldRecord, changes: Extract<HoldCommand, { kind: "drift" }>["changes"]) =>
  decideHold(record, { kind: "drift", changes }, NOW).next;
const blocked = (code: string, record: HoldRecord) => ({ kind: "block", code, text: textForModel(record) });
const changed = (record: HoldRecord, changes: Extract<HoldCommand, { kind: "drift" }>["changes"]) => {
  const next = drifted(record, changes);
  return { ...blocked("changed", next), next };
};

const PENDING = after({ kind: "release", task: 9 });
const EXPIRED = after({ kind: "expire" }, T0 + 24 * HOUR);
const SPENT = { ...makeApproved(), spentAt: T0 + 2_000 };
const other = (call: Partial<BoundCall>) => sealCall(makeCall(call));
const descr = (changes: Parameters<typeof makeDescription>[0]): Described => ({
  kind: "held",
  description: makeDescription(changes),
  failures: [],
});

describe("decideGate of a call without a hold", () => {
  const table: readonly (readonly [string, Partial<GateFacts>, object])[] = [
    ["free", { described: FREE, bound: undefined }, { kind: "pass" }],
    ["free after two declines", { described: FREE, bound: undefined, declinedOut: true }, { kind: "pass" }],
    [
      "denied",
      { described: DENIED, bound: undefined },
      { kind: "block", code: "denied", text: deniedText(TOOL, "no webhooks") },
    ],
    [
      "held",
      {},
      { kind: "open", description: makeDescription(), deadline: NOW + 24 * HOUR, pendingText: PENDING_TEXT },
    ],
    ["held for an hour", { described: descr({ deadlineMs: HOUR }) }, { kind: "open", deadline: NOW + HOUR }],
    [
      "held with a bad deadline",
      { described: descr({ deadlineMs: -1 }) },
      { kind: "block", code: "expired", text: bornExpiredText(TOOL) },
    ],
    ["held for nobody", { hasAudience: false }, { kind: "block", code: "unavailable", text: unavailableText(TOOL) }],
    [
      "held after two declines",
      { declinedOut: true },
      { kind: "block", code: "declined_out", text: declinedOutText(TOOL) },
    ],
  ];
  it.each(table)("[H-45] %s", (_what, changes, expected) => {
    expect(decideGate(facts(changes))).toMatchObject(expected);
  });

  it("[H-27] makes no card where nobody may answer, and [H-44] none after two declines", () => {
    expect(decideGate(facts({ hasAudience: false })).kind).toBe("block");
    expect(decideGate(facts({ declinedOut: true })).kind).toBe("block");
  });

  it("[H-5] a denied call opens nothing, whatever else holds it", () => {
    expect(decideGate(facts({ described: DENIED })).kind).toBe("block");
  });
});

describe("decideGate of a call with a hold", () => {
  const table: readonly (readonly [string, Partial<GateFacts>, object])[] = [
    ["open", { existing: makeHold() }, { kind: "park", deadline: T0 + 24 * HOUR, pendingText: PENDING_TEXT }],
    ["open after two declines of others", { existing: makeHold(), declinedOut: true }, { kind: "park" }],
    ["pending", { existing: PENDING }, { kind: "park", deadline: T0 + 24 * HOUR, pendingText: PENDING_TEXT }],
    ["open, overdue", { existing: makeHold(), now: T0 + 24 * HOUR }, { ...blocked("expired", EXPIRED), next: EXPIRED }],
    [
      "approved",
      { existing: makeApproved() },
      { kind: "run", hold: makeApproved(), approvedBy: "Anna", note: '"Anna" approved this call.' },
    ],
    ["approved, seen after the deadline", { existing: makeApproved(), now: T0 + 30 * HOUR }, { kind: "run" }],
    ["spent", { existing: SPENT }, { kind: "block", code: "already_spent", text: alreadySpentText(TOOL) }],
    ["declined", { existing: makeDeclined("no") }, { ...blocked("declined", makeDeclined("no")), decidedBy: "Anna" }],
    ["expired", { existing: EXPIRED }, blocked("expired", EXPIRED)],
    ["stopped", { existing: after({ kind: "cancel" }) }, blocked("cancelled", after({ kind: "cancel" }))],
    ["withdrawn", { existing: after({ kind: "supersede" }) }, blocked("cancelled", after({ kind: "supersede" }))],
    [
      "changed",
      { existing: drifted(makeApproved(), ["input"]) },
      blocked("changed", drifted(makeApproved(), ["input"])),
    ],
    [
      "unavailable",
      { existing: after({ kind: "unavailable", reason: "not_shown" }) },
      blocked("unavailable", after({ kind: "unavailable", reason: "not_shown" })),
    ],
  ];
  it.each(table)("[H-45] %s", (_what, changes, expected) => {
    expect(decideGate(facts(changes))).toMatchObject(expected);
  });

  const drift: readonly (readonly [string, HoldRecord, Partial<GateFacts>, object])[] = [
    ["open, new version", makeHold(), { bound: other({ version: "2" }) }, changed(makeHold(), ["version"])],
    ["pending, new arguments", PENDING, { bound: other({ input: {} }) }, changed(PENDING, ["input"])],
    ["approved, new arguments", makeApproved(), { bound: other({ input: {} }) }, changed(makeApproved(), ["input"])],
    [
      "approved, policy tightened",
      makeApproved(),
      { bound: other({ audience: { ...makeCall().audience, minTier: "owner" } }) },
      changed(makeApproved(), ["minimum tier"]),
    ],
    [
      "approved, no rule holds it any more",
      makeApproved(),
      { described: FREE, bound: undefined },
      changed(makeApproved(), ["rule"]),
    ],
    ["open, forbidden since", makeHold(), { described: DENIED, bound: undefined }, changed(makeHold(), ["deny rule"])],
    [
      "approved, forbidden since",
      makeApproved(),
      { described: DENIED, bound: undefined },
      changed(makeApproved(), ["deny rule"]),
    ],
    ["approved, approver demoted", makeApproved(), { approverMay: false }, changed(makeApproved(), ["approver"])],
    [
      "approved, digest differs in no printed part",
      makeApproved(),
      { bound: { ...sealCall(makeCall()), digest: "0".repeat(64) } },
      changed(makeApproved(), ["input"]),
    ],
  ];
  it.each(drift)("[H-13] [H-46] %s", (_what, existing, changes, expected) => {
    expect(decideGate(facts({ existing, ...changes }))).toEqual(expected);
  });

  it("[H-46] a decline stands whatever the policy says now", () => {
    for (const described of [FREE, HELD, DENIED]) {
      const decision = decideGate(facts({ existing: makeDeclined(), described, approverMay: false }));
      expect(decision).toMatchObject({ kind: "block", code: "declined" });
    }
  });

  it("[H-12] [H-47] what may run can be spent, and then never runs again", () => {
    const decision = decideGate(facts({ existing: makeApproved() }));
    const hold = decision.kind === "run" ? decision.hold : undefined;
    const spent = spendHold(hold, { task: 7, digest: sealCall(makeCall()).digest }, NOW);
    const again = spent.ok ? decideGate(facts({ existing: spent.value })) : undefined;
    expect(again).toMatchObject({ kind: "block", code: "already_spent" });
    const changedToo = spent.ok
      ? decideGate(facts({ existing: spent.value, approverMay: false, described: FREE }))
      : undefined;
    expect(changedToo).toMatchObject({ kind: "block", code: "already_spent" });
  });

  it("[H-43] escapes the names that it hands on", () => {
    const by = { ...ANNA, name: "An\u202ena" };
    const approved = { ...makeApproved(), decision: { by, at: T0 } };
    expect(decideGate(facts({ existing: approved }))).toMatchObject({ approvedBy: "An\\u{202e}na" });
    const declined = { ...makeDeclined(), decision: { by, at: T0 } };
    expect(decideGate(facts({ existing: declined }))).toMatchObject({ decidedBy: "An\\u{202e}na" });
  });
});
