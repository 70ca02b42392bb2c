export type { HoldDescription } from "./description.ts";
export type { DenyRule, HoldRule, HoldRules, NamedHoldRule } from "./hold-rule.ts";
export type { HoldsHost, KnownPerson, RemindedHold } from "./holds-host.ts";
export { type Holds, installHolds } from "./install.ts";
export { type Constraints, withConstraint, withoutConstraint } from "./policy/constraint.ts";
export { operatorRules } from "./policy/operator-rules.ts";
export { inheritConstraints, POLICY } from "./policy/policy-state.ts";
export { constraintSection } from "./policy/section.ts";
export type { PressRefused } from "./press.ts";
