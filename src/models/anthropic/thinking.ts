import type { ThinkingLevel } from "../../protocol/view.ts";
import type { ClaudeTraits } from "./traits.ts";

/** The `thinking` field as sent. `block_binding` is a beta field that the SDK's types do not have yet. */
export type ThinkingParam =
  | { readonly type: "enabled"; readonly budget_tokens: number }
  | { readonly type: "disabled" }
  | { readonly type: "between_tools" }
  | {
      readonly type: "adaptive";
      readonly display: "summarized";
      readonly block_binding?: { readonly prefix_mismatch_behavior: "drop_block" };
    };

export interface ThinkingPlan {
  readonly thinking?: ThinkingParam;
  readonly effort?: "low" | "medium" | "high";
  /** Whether kept thinking blocks may be sent along. */
  readonly replay: boolean;
}

/** The beta that lets a request say what happens to thinking which no longer fits the prompt before it. */
export const BINDING_BETA = "thinking-binding-controls-2026-08-01";

const BUDGETS: Readonly<Record<Exclude<ThinkingLevel, "off">, number>> = { low: 4_096, medium: 10_000, high: 24_000 };
const MIN_BUDGET = 1_024;

/**
 * How a request asks for thinking. `level` is undefined for a model whose configuration says that it does not think:
 * then nothing is said about it, which every server takes.
 */
export function planThinking(level: ThinkingLevel | undefined, traits: ClaudeTraits, maxTokens: number): ThinkingPlan {
  const adaptive: ThinkingParam = {
    type: "adaptive",
    display: "summarized",
    ...(traits.bound ? { block_binding: { prefix_mismatch_behavior: "drop_block" } } : {}),
  };
  // A bound model refuses stale thinking unless the binding control is there, and only adaptive thinking has it.
  const silent: ThinkingPlan = { replay: !traits.bound };
  if (level === undefined) return silent;
  if (level === "off") {
    if (traits.off === "omit") return silent;
    if (traits.off === "least") return { thinking: adaptive, effort: "low", replay: true };
    return { ...silent, thinking: { type: traits.off } };
  }
  if (traits.style === "effort") return { thinking: adaptive, effort: level, replay: true };
  const budget = Math.min(BUDGETS[level], Math.floor(maxTokens / 2));
  return budget < MIN_BUDGET ? silent : { thinking: { type: "enabled", budget_tokens: budget }, replay: true };
}
