import { describe, expect, it } from "vitest";
import { operatorRules } from "../../../src/holds/policy/operator-rules.ts";
import { describeCall } from "../../../src/holds/rule/describe.ts";
import type { NamedHoldRule } from "../../../src/holds/rule/hold-rule.ts";
import type { Json } from "../../../src/lib/json.ts";
import { checkConfig } from "../../../src/protocol/check-config.ts";
import type { ConfigInput } from "../../../src/protocol/config.ts";
import { T0 } from "../make.ts";

const clock = { now: () => T0, wait: () => new Promise<void>(() => {}) };

function ask(policy: ConfigInput["policy"], input: Json, plugin: readonly NamedHoldRule[] = []) {
  const { deny, hold } = operatorRules(checkConfig({ policy }).policy);
  const rules = { deny, hold: [...plugin, ...hold] };
  return describeCall(rules, { tool: "send", input }, { actor: "p_anna" }, { timeoutMs: 1_000, clock });
}

describe("policy.deny", () => {
  const policy = { deny: [{ tool: "send", args: { to: { b: 1, a: [2] }, n: 1 }, reason: "not there" }] };

  it("[H-110] [H-5] forbids a call that has each named argument with that value, whatever else it has", async () => {
    const covered = { to: { a: [2], b: 1 }, n: 1, more: true };
    expect(await ask(policy, covered)).toMatchObject({
      kind: "denied",
      ruleId: "operator.deny.0",
      reason: "not there",
    });
  });

  it.each<[string, Json]>([
    ["another value", { to: { a: [3], b: 1 }, n: 1 }],
    ["a member more inside", { to: { a: [2], b: 1, c: 0 }, n: 1 }],
    ["an argument less", { to: { a: [2], b: 1 } }],
    ["another kind", { to: { a: [2], b: 1 }, n: "1" }],
    ["no object", "send"],
    ["nothing", null],
  ])("[H-110] lets pass a call with %s", async (_, input) => {
    expect(await ask(policy, input)).toEqual({ kind: "free" });
  });

  it("[H-110] without arguments it covers every call of the tool; of no other", async () => {
    expect(await ask({ deny: [{ tool: "send", reason: "no" }] }, {})).toMatchObject({ kind: "denied" });
    expect(await ask({ deny: [{ tool: "sender", reason: "no" }] }, {})).toEqual({ kind: "free" });
  });
});

describe("policy.ask", () => {
  const policy = { ask: [{ tool: "send", args: { n: 1 }, minTier: "owner" as const }] };
  const plugin: NamedHoldRule = { id: "plugin.0", approvalTier: "member", describe: () => ({ text: "send it" }) };

  it("[H-111] holds what it covers for its tier, and nothing else", async () => {
    const held = await ask(policy, { n: 1 });
    expect(held).toMatchObject({ kind: "held", description: { text: "run send", minTier: "owner" } });
    expect(await ask(policy, { n: 2 })).toEqual({ kind: "free" });
  });

  it("[H-111] [H-4] raises the tier of what a plugin describes, and keeps its words", async () => {
    const held = await ask(policy, { n: 1 }, [plugin]);
    expect(held).toMatchObject({
      kind: "held",
      description: { ruleId: "plugin.0", text: "send it", minTier: "owner" },
    });
    const other = await ask(policy, { n: 2 }, [plugin]);
    expect(other).toMatchObject({ kind: "held", description: { text: "send it", minTier: "member" } });
  });

  it("[H-111] [H-4] never lowers it", async () => {
    const low = { ask: [{ tool: "send", minTier: "member" as const }] };
    const held = await ask(low, {}, [{ ...plugin, approvalTier: "admin" }]);
    expect(held).toMatchObject({ kind: "held", description: { minTier: "admin" } });
  });
});
