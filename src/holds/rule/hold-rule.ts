import type { Json } from "../../lib/json.ts";
import type { Tier } from "../../people/facts.ts";
import type { HoldDescription } from "./description.ts";

/** A call as rules see it: a copy of its own for each rule, so that none can change what runs. */
export interface RuledCall {
  readonly tool: string;
  readonly input: Json;
}

/** Holds a call by describing it; undefined lets it pass. May take its time, may throw: then the call is held all the same. */
export type HoldRule = (
  call: RuledCall,
  turn: { readonly actor: string },
) => HoldDescription | undefined | Promise<HoldDescription | undefined>;

/** A rule as it is registered. */
export interface NamedHoldRule {
  /** Part of what an approval is bound to. */
  readonly id: string;
  /** The lowest tier that may approve what this rule holds, also when it fails to describe. */
  readonly approvalTier?: Tier;
  /** The lowest tier that may approve a call, whichever rule describes it; undefined: no say. Must not throw. */
  readonly floor?: (call: RuledCall) => Tier | undefined;
  readonly describe: HoldRule;
}

/** Refuses a call for good, with a reason. No approval passes it; one that throws refuses. */
export interface DenyRule {
  readonly id: string;
  readonly deny: (call: RuledCall) => string | undefined;
}

export interface HoldRules {
  readonly deny: readonly DenyRule[];
  /** In plugin order: the first description wins. */
  readonly hold: readonly NamedHoldRule[];
}

/** A rule that gave no answer: for the operator's report. */
export interface RuleFailure {
  readonly ruleId: string;
  readonly error: string;
}
