import { describe, expect, it } from "vitest";
import {
  type Constraints,
  constraintRules,
  MAX_CONSTRAINTS,
  withConstraint,
  withoutConstraint,
} from "../../../src/holds/policy/constraint.ts";
import { ANNA, T0 } from "../make.ts";

const CONTEXT = { by: ANNA, at: T0, tools: ["delete_note", "send_webhook"] };
const ASK = { id: "one", tools: ["delete_note"], effect: "ask", text: "never delete without asking" } as const;

const many = (count: number): Constraints =>
  Array.from({ length: count }, (_, n) => ({ ...ASK, id: `c${n}`, by: ANNA, at: T0 }));

describe("withConstraint", () => {
  it("[H-114] adds one with its author, each tool once", () => {
    const added = withConstraint([], { ...ASK, tools: ["delete_note", "delete_note"] }, CONTEXT);
    expect(added).toEqual({ ok: true, value: [{ ...ASK, by: ANNA, at: T0 }] });
  });

  it("[H-114] holds 20 and refuses the next, naming the limit", () => {
    expect(withConstraint(many(MAX_CONSTRAINTS - 1), ASK, CONTEXT)).toMatchObject({ ok: true });
    const refused = withConstraint(many(MAX_CONSTRAINTS), ASK, CONTEXT);
    expect(refused).toMatchObject({ ok: false, error: { code: "too_large" } });
    expect(!refused.ok && refused.error.message).toContain("the limit is 20: take one away first");
  });

  it("[H-114] refuses a tool that is not there, with the nearest one", () => {
    const refused = withConstraint([], { ...ASK, tools: ["delete_notes"] }, CONTEXT);
    expect(refused).toEqual({
      ok: false,
      error: { code: "bad_request", message: 'There is no tool "delete_notes": did you mean delete_note?' },
    });
  });

  it("[H-114] the same again is no second one, and something else under its id is a conflict", () => {
    const standing = [{ ...ASK, by: ANNA, at: T0 }];
    expect(withConstraint(standing, ASK, { ...CONTEXT, at: T0 + 1 })).toEqual({ ok: true, value: standing });
    for (const change of [{ effect: "never" as const }, { text: "other" }, { tools: ["send_webhook"] }]) {
      expect(withConstraint(standing, { ...ASK, ...change }, CONTEXT)).toMatchObject({
        ok: false,
        error: { code: "conflict" },
      });
    }
  });
});

it("[H-115] withoutConstraint takes away that one, and says when there is none", () => {
  const standing = many(3);
  expect(withoutConstraint(standing, "c1")?.map(({ id }) => id)).toEqual(["c0", "c2"]);
  expect(withoutConstraint(standing, "c9")).toBeUndefined();
});

describe("constraintRules", () => {
  const rules = constraintRules([
    { ...ASK, by: ANNA, at: T0 },
    { ...ASK, id: "two", tools: ["send_webhook"], effect: "never", by: ANNA, at: T0 },
  ]);

  it("[H-113] `ask` describes the calls of its tools alone", async () => {
    const [rule] = rules.hold;
    expect(rules.hold).toHaveLength(1);
    expect(await rule?.describe({ tool: "delete_note", input: {} }, { actor: "p_anna" })).toEqual({
      text: "run delete_note (standing constraint: never delete without asking)",
    });
    expect(await rule?.describe({ tool: "send_webhook", input: {} }, { actor: "p_anna" })).toBeUndefined();
  });

  it("[H-113] `never` forbids the calls of its tools alone, in the person's words", () => {
    const [rule] = rules.deny;
    expect(rules.deny).toHaveLength(1);
    expect(rule?.deny({ tool: "send_webhook", input: {} })).toContain("never delete without asking");
    expect(rule?.deny({ tool: "delete_note", input: {} })).toBeUndefined();
  });
});
