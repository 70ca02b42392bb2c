import type { Config } from "../../protocol/config.ts";
import type { DenyRule, HoldRules, NamedHoldRule } from "../rule/hold-rule.ts";
import { coversCall } from "./call-pattern.ts";

/** The operator's own rules, from `policy` in `althing.config.ts`. Their ids count from 0, in the order of the file. */
export function operatorRules({ deny, ask }: Config["policy"]): HoldRules {
  return {
    deny: deny.map(
      (rule, n): DenyRule => ({
        id: `operator.deny.${n}`,
        deny: (call) => (coversCall(rule, call) ? rule.reason : undefined),
      }),
    ),
    hold: ask.map(
      (rule, n): NamedHoldRule => ({
        id: `operator.ask.${n}`,
        floor: (call) => (coversCall(rule, call) ? rule.minTier : undefined),
        describe: (call) => (coversCall(rule, call) ? { text: `run ${call.tool}`, minTier: rule.minTier } : undefined),
      }),
    ),
  };
}
