export type { HoldDescription } from "./description.ts";
export type { DenyRule, HoldRule, NamedHoldRule } from "./hold-rule.ts";
export type { HoldsHost, KnownPerson } from "./holds-host.ts";
export { type Holds, installHolds } from "./install.ts";
export type { PressRefused } from "./press.ts";
