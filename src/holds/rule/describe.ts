import type { Tier } from "../../people/facts.ts";
import { genericDescription, type HeldDescription, highestTier, readDescription } from "./description.ts";
import type { DenyRule, HoldRules, NamedHoldRule, RuledCall, RuleFailure } from "./hold-rule.ts";

/** How long all rules together may take to describe one call. */
export const DESCRIBE_TIMEOUT_MS = 10_000;

/** The part of the clock port that describing needs. */
export interface DescribeClock {
  now(): number;
  wait(untilMs: number, signal: AbortSignal): Promise<void>;
}

export type Described =
  | { readonly kind: "free" }
  | {
      readonly kind: "denied";
      readonly ruleId: string;
      readonly reason: string;
      readonly failures: readonly RuleFailure[];
    }
  | { readonly kind: "held"; readonly description: HeldDescription; readonly failures: readonly RuleFailure[] };

export interface DescribeOptions {
  readonly timeoutMs: number;
  readonly clock: DescribeClock;
  /** The tool's own tier. Absent: the lowest. */
  readonly toolTier?: Tier;
}

/**
 * What the rules say of a call. All hold rules are asked at once, so that they share one time limit and none can keep
 * the others from being heard; their order decides. Never throws.
 */
export async function describeCall(
  rules: HoldRules,
  call: RuledCall,
  turn: { readonly actor: string },
  options: DescribeOptions,
): Promise<Described> {
  const denied = findDenial(rules.deny, call);
  if (denied !== undefined) return denied;
  const timer = new AbortController();
  const timeout = waitForTimeout(options, timer.signal);
  const asked = rules.hold.map((rule) => ({
    rule,
    answer: Promise.race([askRule(rule, call, turn, options), timeout]),
  }));
  try {
    return await readAnswers(
      asked,
      call.tool,
      highestTier([options.toolTier ?? "guest", ...floorsOf(rules.hold, call)]),
    );
  } finally {
    timer.abort();
  }
}

type RuleAnswer =
  | { readonly kind: "nothing" }
  | { readonly kind: "failed"; readonly error: string }
  | { readonly kind: "described"; readonly description: HeldDescription };

interface Asked {
  readonly rule: NamedHoldRule;
  readonly answer: Promise<RuleAnswer>;
}

async function waitForTimeout({ clock, timeoutMs }: DescribeOptions, signal: AbortSignal): Promise<RuleAnswer> {
  await clock.wait(clock.now() + timeoutMs, signal);
  return { kind: "failed", error: `gave no answer within ${timeoutMs} ms` };
}

function findDenial(rules: readonly DenyRule[], call: RuledCall): Described | undefined {
  for (const { id, deny } of rules) {
    try {
      const reason = deny(copyOf(call));
      if (reason !== undefined) return { kind: "denied", ruleId: id, reason, failures: [] };
    } catch (error) {
      const failures = [{ ruleId: id, error: String(error) }];
      return { kind: "denied", ruleId: id, reason: `the deny rule ${id} failed`, failures };
    }
  }
  return undefined;
}

/** What the rules say of who may approve a call, whoever describes it. */
function floorsOf(rules: readonly NamedHoldRule[], call: RuledCall): readonly Tier[] {
  return rules.flatMap(({ floor }) => floor?.(copyOf(call)) ?? []);
}

async function askRule(
  rule: NamedHoldRule,
  call: RuledCall,
  turn: { readonly actor: string },
  { toolTier = "guest" }: DescribeOptions,
): Promise<RuleAnswer> {
  try {
    const said: unknown = await rule.describe(copyOf(call), turn);
    if (said === undefined) return { kind: "nothing" };
    const description = readDescription(said, rule.id, highestTier([toolTier, rule.approvalTier ?? "guest"]));
    return description.ok
      ? { kind: "described", description: description.value }
      : { kind: "failed", error: description.error };
  } catch (error) {
    return { kind: "failed", error: String(error) };
  }
}

/** The first description in the order of the rules. A rule that failed before it still has its say on the tier. */
async function readAnswers(asked: readonly Asked[], tool: string, toolTier: Tier): Promise<Described> {
  const failures: RuleFailure[] = [];
  let minTier = toolTier;
  for (const { rule, answer } of asked) {
    const said = await answer;
    if (said.kind === "failed") {
      failures.push({ ruleId: rule.id, error: said.error });
      minTier = highestTier([minTier, rule.approvalTier ?? "guest"]);
    }
    if (said.kind === "described") {
      const description = { ...said.description, minTier: highestTier([minTier, said.description.minTier]) };
      return { kind: "held", description, failures };
    }
  }
  const [first] = failures;
  if (first === undefined) return { kind: "free" };
  return { kind: "held", description: genericDescription(tool, first.ruleId, minTier), failures };
}

function copyOf({ tool, input }: RuledCall): RuledCall {
  return { tool, input: structuredClone(input) };
}
