import type { AllowRuleView, ConstraintView, PolicyView, View } from "../../../src/protocol/view.ts";

const NOTHING: PolicyView = { constraints: [], allow: [] };

/** What people decided in a conversation about calls to come. */
export function policyOf(view: View | undefined): PolicyView {
  return { ...NOTHING, ...(view?.plugins.policy as unknown as Partial<PolicyView> | undefined) };
}

/** A standing constraint in a sentence. */
export function describeConstraint({ tools, effect }: Pick<ConstraintView, "tools" | "effect">): string {
  const names = tools.join(", ");
  return effect === "ask" ? `Every call of ${names} waits for approval` : `${names}: never runs`;
}

/** Which calls a rule allows, argument by argument. */
export function describeArguments({ args }: Pick<AllowRuleView, "args">): string {
  if (args.length === 0) return "without arguments";
  return args.map(({ name, value }) => (value === null ? `${name}: any value` : `${name}: ${value}`)).join(" · ");
}

/** How long something may be allowed in advance, as the page offers it. */
export const ALLOWANCES: readonly { readonly hours: number; readonly words: string }[] = [
  { hours: 1, words: "for an hour" },
  { hours: 24, words: "for a day" },
  { hours: 168, words: "for a week" },
  { hours: 720, words: "for 30 days" },
];

/** Whether an argument of a card can be left open: the name that a card shows is the argument's own. */
export function canBeOpen(shownName: string): boolean {
  return !shownName.includes("\\");
}
