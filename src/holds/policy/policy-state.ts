import { defineNamespace, type HostRead, type HostTx } from "../../kernel/index.ts";
import type { Json } from "../../lib/json.ts";
import type { AllowRuleView, ConstraintView, PolicyView } from "../../protocol/view.ts";
import { showLine, showTool } from "../card/show-line.ts";
import type { HoldRules } from "../rule/hold-rule.ts";
import type { AllowRule } from "./allow-rule.ts";
import { type Constraint, type Constraints, constraintRules } from "./constraint.ts";

const MAX_TEXT_BYTES = 1_000;
const MAX_NAME_BYTES = 300;

/** What people decided about calls to come, in one conversation. Not part of what a rewind or a summary touches. */
export type PolicyState = {
  readonly constraints: Constraints;
  /** What is always allowed. */
  readonly allow: readonly AllowRule[];
};

export const POLICY = defineNamespace<PolicyState>({
  name: "policy",
  sticky: { constraints: [], allow: [] },
  view: ({ constraints, allow }): Json => {
    const view: PolicyView = { constraints: constraints.map(showConstraint), allow: allow.map(showAllowRule) };
    return view as unknown as Json;
  },
});

/** The deployment's rules together with the conversation's own. */
export function rulesWith(deployed: HoldRules, read: HostRead): HoldRules {
  const own = constraintRules(read.get(POLICY).constraints);
  return { deny: [...deployed.deny, ...own.deny], hold: [...deployed.hold, ...own.hold] };
}

/** Takes over what stands in the conversation that this one comes from. May be done again. */
export function inheritConstraints(tx: HostTx, given: Constraints): void {
  const { constraints } = tx.get(POLICY);
  const own = constraints.filter(({ id }) => !given.some((one) => one.id === id));
  if (given.length > 0) tx.set(POLICY, { constraints: [...given, ...own] });
}

function showAllowRule({
  id,
  tool,
  args,
  target,
  speaker,
  by,
  at,
  expiresAt,
  uses,
  lastUsedAt,
}: AllowRule): AllowRuleView {
  return {
    id,
    tool: showTool(tool, MAX_NAME_BYTES),
    args: args.map(({ name, sha256, shown }) => ({
      name: showLine(name, MAX_NAME_BYTES).text,
      value: sha256 === null ? null : shown,
    })),
    target: target === null ? null : showLine(target, MAX_TEXT_BYTES).text,
    speaker: showLine(speaker.name, MAX_NAME_BYTES).text,
    by: showLine(by.name, MAX_NAME_BYTES).text,
    at,
    expiresAt,
    uses,
    lastUsedAt,
  };
}

function showConstraint({ id, tools, effect, text, by, at }: Constraint): ConstraintView {
  return {
    id,
    tools: tools.map((tool) => showTool(tool, MAX_NAME_BYTES)),
    effect,
    text: showLine(text, MAX_TEXT_BYTES).text,
    by: showLine(by.name, MAX_NAME_BYTES).text,
    at,
  };
}
