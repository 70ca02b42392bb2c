import { describe, expect, it } from "vitest";
import { type Described, describeCall } from "../../../src/holds/rule/describe.ts";
import type { DenyRule, HoldRule, NamedHoldRule } from "../../../src/holds/rule/hold-rule.ts";
import { T0 } from "../make.ts";

const CALL = { tool: "send_webhook", input: { target: "build" } };

/** A clock whose waits end when the test says so. */
function makeClock() {
  const waits: { readonly until: number; readonly end: () => void }[] = [];
  return {
    waits,
    now: () => T0,
    wait: (until: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        waits.push({ until, end: resolve });
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
}

interface Setting {
  readonly hold?: readonly NamedHoldRule[];
  readonly deny?: readonly DenyRule[];
  readonly toolTier?: "guest" | "member" | "admin" | "owner";
  readonly clock?: ReturnType<typeof makeClock>;
}

function ask({ hold = [], deny = [], toolTier = "guest", clock = makeClock() }: Setting): Promise<Described> {
  return describeCall({ hold, deny }, CALL, { actor: "p_anna" }, { timeoutMs: 10_000, clock, toolTier });
}

function rule(id: string, describe: HoldRule, approvalTier?: "member" | "admin" | "owner"): NamedHoldRule {
  return approvalTier === undefined ? { id, describe } : { id, describe, approvalTier };
}

const never = () => new Promise<never>(() => {});
const silent = rule("silent", () => undefined);
const text = (said: string) => rule(said, () => ({ text: said }));

function heldText(described: Described): string | undefined {
  return described.kind === "held" ? described.description.text : undefined;
}

describe("describeCall", () => {
  it("[H-1] lets pass what no rule describes", async () => {
    expect(await ask({})).toEqual({ kind: "free" });
    expect(await ask({ hold: [silent, rule("later", async () => undefined)] })).toEqual({ kind: "free" });
  });

  it("[H-1] takes the first description in the order of the rules, whichever is ready first", async () => {
    const slow = rule("slow", async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { text: "slow" };
    });
    expect(heldText(await ask({ hold: [silent, slow, text("fast")] }))).toBe("slow");
    expect(heldText(await ask({ hold: [text("fast"), slow] }))).toBe("fast");
  });

  it("[H-1] waits for no later rule once one has described", async () => {
    expect(heldText(await ask({ hold: [text("first"), rule("never", never)] }))).toBe("first");
  });

  it("[H-1] fills in what a rule left out and keeps what it said", async () => {
    expect(await ask({ hold: [text("go")] })).toEqual({
      kind: "held",
      failures: [],
      description: {
        ruleId: "go",
        text: "go",
        target: null,
        deadlineMs: undefined,
        minTier: "guest",
        approvers: null,
        approval: null,
        copy: null,
        supersede: null,
        files: [],
      },
    });
    const said = {
      text: "t",
      target: "x",
      deadlineMs: 5,
      minTier: "admin",
      approvers: ["p_a"],
      approval: "speaker",
      copy: "make",
      supersede: "deploy",
      files: ["f1"],
    } as const;
    expect(await ask({ hold: [rule("r", () => said)] })).toMatchObject({ description: { ...said, ruleId: "r" } });
  });

  const broken: readonly (readonly [string, () => unknown])[] = [
    [
      "throws",
      () => {
        throw new Error("no lookup");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no lookup"))],
    [
      "returns a thenable without catch that rejects",
      () => withThen({ value: (_ok: unknown, no: (e: Error) => void) => no(new Error("no lookup")) }),
    ],
    [
      "returns a thenable that throws",
      () =>
        withThen({
          get: () => {
            throw new Error("no lookup");
          },
        }),
    ],
    ["returns null", () => null],
    ["returns a string", () => "POST"],
    ["returns an empty text", () => ({ text: "  " })],
    ["returns an unknown tier", () => ({ text: "t", minTier: "god" })],
    ["returns approvers that are no list", () => ({ text: "t", approvers: "p_a" })],
  ];
  it.each(broken)("[H-2] [trap 11] [trap 12] holds as `run <tool>` when a rule %s", async (_what, describe) => {
    const described = await ask({ hold: [silent, rule("broken", describe as HoldRule, "admin")] });
    expect(described).toMatchObject({
      kind: "held",
      description: { ruleId: "broken", text: "run send_webhook", minTier: "admin", target: null, approvers: null },
      failures: [{ ruleId: "broken" }],
    });
    expect(JSON.stringify(described)).toMatch(/no lookup|returned no valid description/);
  });

  it("[H-2] holds when a rule gives no answer within 10 s, and not before", async () => {
    const clock = makeClock();
    let described: Described | undefined;
    const asked = ask({ hold: [rule("hangs", never)], clock }).then((value) => (described = value));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(described).toBeUndefined();
    expect(clock.waits.map((wait) => wait.until)).toEqual([T0 + 10_000]);
    clock.waits[0]?.end();
    await asked;
    expect(described).toMatchObject({
      kind: "held",
      description: { text: "run send_webhook" },
      failures: [{ ruleId: "hangs", error: "gave no answer within 10000 ms" }],
    });
  });

  it("[H-2] holds under the next description after a failure", async () => {
    const fails = rule("fails", () => {
      throw new Error("x");
    });
    const described = await ask({ hold: [fails, text("POST")] });
    expect(described).toMatchObject({ description: { text: "POST", ruleId: "POST" }, failures: [{ ruleId: "fails" }] });
  });

  it("[H-3] [trap 14] hears the others while one hangs, under one time limit", async () => {
    const clock = makeClock();
    const heard: string[] = [];
    const note = (id: string) => rule(id, () => void heard.push(id));
    const asked = ask({
      hold: [note("a"), rule("hang1", never), rule("hang2", never), note("b"), text("POST")],
      clock,
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(heard).toEqual(["a", "b"]);
    expect(clock.waits).toHaveLength(1);
    clock.waits[0]?.end();
    expect(await asked).toMatchObject({
      description: { text: "POST" },
      failures: [{ ruleId: "hang1" }, { ruleId: "hang2" }],
    });
  });

  it.each([
    ["the tool's", "owner", "member", "member", "owner"],
    ["the rule's", "guest", "owner", "member", "owner"],
    ["the description's", "member", "member", "admin", "admin"],
  ] as const)(
    "[H-4] takes %s tier when it is the highest",
    async (_whose, toolTier, approvalTier, minTier, highest) => {
      const described = await ask({ toolTier, hold: [rule("r", () => ({ text: "t", minTier }), approvalTier)] });
      expect(described).toMatchObject({ description: { minTier: highest } });
    },
  );

  it("[H-4] keeps the tier of a rule that failed before the one that describes, and not of one after it", async () => {
    const fails = rule(
      "fails",
      () => {
        throw new Error("x");
      },
      "owner",
    );
    expect(await ask({ hold: [fails, text("POST")] })).toMatchObject({ description: { minTier: "owner" } });
    expect(await ask({ hold: [text("POST"), fails] })).toMatchObject({ description: { minTier: "guest" } });
  });

  it("[H-5] a deny rule wins over a description", async () => {
    const deny = [
      { id: "quiet", deny: () => undefined },
      { id: "strict", deny: () => "no webhooks" },
    ];
    expect(await ask({ deny, hold: [text("POST")] })).toEqual({
      kind: "denied",
      ruleId: "strict",
      reason: "no webhooks",
      failures: [],
    });
  });

  it("[H-5] a deny rule that throws denies and is reported", async () => {
    const deny = [
      {
        id: "broken",
        deny: () => {
          throw new Error("secret path");
        },
      },
    ];
    expect(await ask({ deny, hold: [] })).toEqual({
      kind: "denied",
      ruleId: "broken",
      reason: "the deny rule broken failed",
      failures: [{ ruleId: "broken", error: "Error: secret path" }],
    });
  });

  it("[H-6] gives each rule a copy of its own", async () => {
    const input = { target: "build", list: [1] };
    const seen: unknown[] = [];
    const meddle = (call: { input: unknown }) => {
      seen.push(structuredClone(call.input));
      Object.assign(call.input as object, { target: "evil", list: [] });
      return undefined;
    };
    const rules = { deny: [{ id: "d", deny: meddle }], hold: [rule("a", meddle), rule("b", meddle)] };
    await describeCall(rules, { tool: "t", input }, { actor: "a" }, { timeoutMs: 1, clock: makeClock() });
    expect(input).toEqual({ target: "build", list: [1] });
    expect(seen).toEqual([input, input, input]);
  });
});

/** A promise-like that is no promise, as careless plugins return it. */
function withThen(then: PropertyDescriptor): object {
  // oxlint-disable-next-line unicorn/no-thenable -- such an object is what the test is about
  return Object.defineProperty<object>({}, "then", then);
}
