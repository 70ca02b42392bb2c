import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BoundCall } from "../../../src/holds/bound/bound-call.ts";
import {
  type AllowRule,
  findAllowRule,
  MAX_ALLOW_RULES,
  withAllowRule,
  withUse,
} from "../../../src/holds/policy/allow-rule.ts";
import type { HoldRequest } from "../../../src/holds/record/open-hold.ts";
import { canonicalJson } from "../../../src/lib/canonical.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { ANNA, BERT, HOUR, makeCall, makeDescription, makeHold, T0 } from "../make.ts";

const WEEK = { any: [], hours: 168 };

function save(
  { any = [], hours = 168 }: { readonly any?: readonly string[]; readonly hours?: number } = {},
  call: BoundCall = makeCall(),
  {
    standing = [],
    now = T0,
    request = {},
  }: { standing?: readonly AllowRule[]; now?: number; request?: Partial<HoldRequest> } = {},
) {
  return withAllowRule(standing, { any, hours }, { hold: makeHold({ call, ...request }), call, by: BERT, now });
}

function saved(...args: Parameters<typeof save>): readonly AllowRule[] {
  const rules = save(...args);
  if (!rules.ok) throw new Error(rules.error);
  return rules.value;
}

const covers = (rules: readonly AllowRule[], call: BoundCall, now = T0) =>
  findAllowRule(rules, call, now) !== undefined;

describe("what a rule covers", () => {
  const body = { ref: "main" };

  it("[H-119] the call that it was saved with, however its keys are ordered, until it ends", () => {
    const rules = saved();
    expect(covers(rules, makeCall())).toBe(true);
    expect(covers(rules, makeCall({ input: { body, target: "build" } }))).toBe(true);
    expect(covers(rules, makeCall(), T0 + 168 * HOUR - 1)).toBe(true);
    expect(covers(rules, makeCall(), T0 + 168 * HOUR)).toBe(false);
  });

  it("[H-119] of an argument left open any value, of the others the one that was shown", () => {
    const rules = saved({ any: ["body"] });
    expect(covers(rules, makeCall({ input: { target: "build", body: { ref: "other" } } }))).toBe(true);
    expect(covers(rules, makeCall({ input: { target: "build", body: null } }))).toBe(true);
    expect(covers(rules, makeCall({ input: { target: "other", body } }))).toBe(false);
  });

  it.each<[string, Partial<BoundCall>]>([
    ["another conversation", { conversation: "web:other" }],
    ["another plugin", { provider: { kind: "plugin", name: "other" } }],
    ["another tool", { tool: "send_other" }],
    ["another version", { version: "2" }],
    ["another schema", { schemaHash: "b".repeat(64) }],
    ["another speaker", { speaker: BERT.principalId }],
    ["no speaker", { speaker: null }],
    ["an argument more", { input: { target: "build", body, more: 1 } }],
    ["an argument less", { input: { target: "build" } }],
    ["no object", { input: ["build", body] }],
    ["a file", { files: [{ id: "f", sha256: "0".repeat(64) }] }],
    ["a higher tier", { audience: { ...makeCall().audience, minTier: "owner" } }],
    ["approvers", { audience: { ...makeCall().audience, approvers: ["p_bert"] } }],
    ["the speaker's own answer", { audience: { ...makeCall().audience, approval: "speaker" } }],
    ["another hold rule", { audience: { ...makeCall().audience, ruleId: "other" } }],
    ["another target", { audience: { ...makeCall().audience, target: "elsewhere" } }],
  ])("[H-119] never a call with %s, even with every argument left open", (_, change) => {
    expect(covers(saved({ any: ["target", "body"] }), makeCall(change))).toBe(false);
  });

  it("[H-119] whatever the arguments: exactly those whose fixed ones are equal", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;
    const property = fc.property(object, object, fc.array(fc.nat(3)), (shown, other, picks) => {
      const names = Object.keys(shown).sort();
      const any = [...new Set(picks.flatMap((pick) => names[pick] ?? []))];
      const rules = saved({ any }, makeCall({ input: shown }));
      const merged = { ...shown, ...Object.fromEntries(Object.entries(other).filter(([name]) => any.includes(name))) };
      expect(covers(rules, makeCall({ input: merged }))).toBe(true);
      const keep = (input: JsonObject) =>
        canonicalJson(
          Object.fromEntries(Object.entries(input).map(([name, value]) => [name, any.includes(name) ? 0 : value])),
        );
      expect(covers(rules, makeCall({ input: other }))).toBe(keep(other) === keep(shown));
    });
    fc.assert(property, { numRuns: 300 });
  });
});

describe("withAllowRule", () => {
  it("[H-123] keeps 20 that have not ended and refuses the next, naming the limit", () => {
    let rules: readonly AllowRule[] = [];
    for (let n = 0; n < MAX_ALLOW_RULES; n++) rules = saved({}, makeCall(), { standing: rules });
    expect(rules).toHaveLength(20);
    expect(save({}, makeCall(), { standing: rules })).toMatchObject({
      ok: false,
      error: expect.stringContaining("the limit is 20: revoke one first"),
    });
    const later = saved({}, makeCall(), { standing: rules, now: T0 + WEEK.hours * HOUR });
    expect(later).toHaveLength(1);
  });

  it("[H-123] refuses one of more than 4,096 bytes, naming the limit", () => {
    const of = (count: number) =>
      makeCall({ input: Object.fromEntries(Array.from({ length: count }, (_, n) => [`argument ${n}`, n])) });
    const count = Array.from({ length: 64 }, (_, n) => n).findIndex((n) => !save({}, of(n)).ok);
    const bytes = Buffer.byteLength(JSON.stringify(saved({}, of(count - 1))[0]));
    expect(bytes).toBeLessThanOrEqual(4_096);
    expect(save({}, of(count))).toMatchObject({ ok: false, error: expect.stringContaining("the limit is 4096") });
  });

  it("[H-118] refuses to leave an argument open that the call does not have", () => {
    expect(save({ any: ["bdy"] })).toEqual({
      ok: false,
      error: 'The call has no argument "bdy": it has body, target.',
    });
    expect(save({ any: ["constructor"] }).ok).toBe(false);
  });

  it.each<[string, BoundCall, Partial<HoldRequest>]>([
    ["nobody spoke", makeCall({ speaker: null }), { speaker: null }],
    [
      "only the speaker's own answer counts",
      makeCall({ audience: { ...makeCall().audience, approval: "speaker" } }),
      { description: makeDescription({ approval: "speaker" }) },
    ],
    ["files are named", makeCall({ files: [{ id: "f", sha256: "0".repeat(64) }] }), {}],
    ["the input is no object", makeCall({ input: "x" }), {}],
  ])("[H-121] refuses where %s", (_, call, request) => {
    expect(save({}, call, { request })).toEqual({ ok: false, error: "Calls like this one are asked about each time." });
  });

  it("[H-122] a use is counted with its time, of that rule alone", () => {
    const [rule] = saved();
    if (!rule) throw new Error("nothing was saved");
    const used = withUse([rule, { ...rule, id: "other" }], rule.id, T0 + 5);
    expect(used).toEqual([
      { ...rule, uses: 1, lastUsedAt: T0 + 5 },
      { ...rule, id: "other" },
    ]);
    expect(rule).toMatchObject({ by: BERT, speaker: ANNA, uses: 0, lastUsedAt: null });
  });
});
