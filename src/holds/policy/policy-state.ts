import { defineNamespace, type HostRead, type HostTx } from "../../kernel/index.ts";
import type { Json } from "../../lib/json.ts";
import type { ConstraintView, PolicyView } from "../../protocol/view.ts";
import type { HoldRules } from "../hold-rule.ts";
import { showLine, showTool } from "../show-line.ts";
import { type Constraint, type Constraints, constraintRules } from "./constraint.ts";

const MAX_TEXT_BYTES = 1_000;
const MAX_NAME_BYTES = 300;

/** What people decided about calls to come, in one conversation. Not part of what a rewind or a summary touches. */
export type PolicyState = {
  readonly constraints: Constraints;
};

export const POLICY = defineNamespace<PolicyState>({
  name: "policy",
  sticky: { constraints: [] },
  view: ({ constraints }) => ({ constraints: constraints.map(showConstraint) }) satisfies PolicyView as unknown as Json,
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
