import type { ThinkingLevel } from "../../protocol/view.ts";

/** Families that take `none`. Others refuse it; `low` is the least that every reasoning model takes. */
const TAKES_NONE = /^gpt-(5\.[1-6]|6-(sol|luna))(-(sol|terra|luna|mini|nano|\d{4}-\d{2}-\d{2}))*$/;

/** The reasoning effort for a level, by model id. */
export function reasoningEffort(level: ThinkingLevel, modelId: string): "none" | "low" | "medium" | "high" {
  if (level !== "off") return level;
  return TAKES_NONE.test(modelId) ? "none" : "low";
}
