import type { Complaints } from "./check-common.ts";
import { type Obj, obj, str } from "./reading.ts";

/** What a Claude model accepts, from the vendor's tables, written down apart from the code under test. */
export interface ClaudeFacts {
  readonly modes: readonly string[];
  readonly effort: boolean;
  /** Runs the prefix check on thinking blocks. */
  readonly bound: boolean;
  readonly systemRole: boolean;
}

const OLD: ClaudeFacts = { modes: ["enabled", "disabled"], effort: false, bound: false, systemRole: false };
const FACTS: { readonly [model: string]: ClaudeFacts } = {
  "claude-haiku-4-5": OLD,
  "claude-sonnet-4-5": OLD,
  "claude-opus-4-5": { ...OLD, effort: true },
  "claude-opus-4-6": { modes: ["enabled", "adaptive", "disabled"], effort: true, bound: false, systemRole: false },
  "claude-sonnet-4-6": { modes: ["enabled", "adaptive", "disabled"], effort: true, bound: false, systemRole: false },
  "claude-opus-4-8": { modes: ["adaptive", "disabled"], effort: true, bound: false, systemRole: true },
  "claude-opus-5": { modes: ["adaptive", "disabled"], effort: true, bound: false, systemRole: true },
  "claude-sonnet-5": { modes: ["adaptive", "disabled"], effort: true, bound: false, systemRole: false },
  "claude-fable-5": { modes: ["adaptive"], effort: true, bound: false, systemRole: true },
  "claude-fable-5-1": { modes: ["adaptive"], effort: true, bound: true, systemRole: true },
  "claude-opus-5-5": { modes: ["adaptive"], effort: true, bound: true, systemRole: true },
  "claude-sonnet-5-5": { modes: ["adaptive", "between_tools"], effort: true, bound: true, systemRole: true },
  "claude-haiku-5-5": { modes: ["adaptive", "disabled"], effort: true, bound: true, systemRole: false },
};

/** The models that the tables know, for tests that go through all of them. */
export const CLAUDE_MODELS: readonly string[] = Object.keys(FACTS);

export function readClaude(model: string): ClaudeFacts {
  return FACTS[model] ?? OLD;
}

export function checkThinkingConfig(body: Obj, beta: string): Complaints {
  const facts = readClaude(str(body.model));
  const { thinking, output_config: output } = body;
  const config = obj(thinking);
  const mode = str(config.type);
  const binding = config.block_binding;
  const alone = mode === "between_tools" || mode === "disabled";
  const budget = Number(config.budget_tokens);
  const effort = obj(output).effort;
  return [
    ...(thinking === undefined || facts.modes.includes(mode)
      ? []
      : [`"thinking.type.${mode}" is not supported for this model`]),
    ...(alone && Object.keys(config).length > 1 ? [`thinking: ${mode} takes no other field`] : []),
    ...(mode === "enabled" && !(budget >= 1024 && budget < Number(body.max_tokens))
      ? ["thinking.budget_tokens: must be at least 1024 and less than max_tokens"]
      : []),
    ...(binding !== undefined && !beta.includes("thinking-binding-controls-2026-08-01")
      ? ["thinking.block_binding: extra inputs are not permitted without the beta header"]
      : []),
    ...(effort === undefined || (facts.effort && ["low", "medium", "high"].includes(str(effort)))
      ? []
      : ["output_config.effort: not supported for this model"]),
  ];
}
