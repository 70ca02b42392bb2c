/** What a Claude model takes, known by its id. */
export interface ClaudeTraits {
  /** How thinking is switched on: by a budget of tokens (up to 4.5) or by effort (from 4.6). */
  readonly style: "budget" | "effort";
  /** The closest that the model has to no thinking. `least`: it cannot be switched off, only kept low. */
  readonly off: "omit" | "disabled" | "between_tools" | "least";
  /** Thinking is bound to the prompt before it; what no longer fits must be dropped, on request, or the call fails. */
  readonly bound: boolean;
  /** Takes messages of the role `system` in the middle of a conversation. */
  readonly systemRole: boolean;
}

const UNKNOWN: ClaudeTraits = { style: "budget", off: "omit", bound: false, systemRole: false };
const CLAUDE_ID = /^claude-(opus|sonnet|haiku|fable|mythos)-(\d)(?:-(\d{1,2}))?(?:-\d{8})?$/;

/**
 * Reads the traits off a model id of Anthropic's own API. Another id (an older one, another vendor's model on this wire,
 * a cloud platform's spelling) gets what every server of this wire takes.
 */
export function claudeTraits(modelId: string): ClaudeTraits {
  const [, line = "", major = "", minor = "0"] = CLAUDE_ID.exec(modelId) ?? [];
  const version = Number(major) * 100 + Number(minor);
  if (version < 406) return UNKNOWN;
  return {
    style: "effort",
    off: howToSwitchOff(line, version),
    bound: version >= 501,
    systemRole: version >= (SYSTEM_ROLE_SINCE[line] ?? Number.POSITIVE_INFINITY),
  };
}

const SYSTEM_ROLE_SINCE: { readonly [line: string]: number } = { opus: 408, fable: 500, mythos: 500, sonnet: 505 };

function howToSwitchOff(line: string, version: number): ClaudeTraits["off"] {
  if (version < 500) return "omit";
  if ((line === "opus" || line === "sonnet") && version === 500) return "disabled";
  if (line === "haiku" && version === 505) return "disabled";
  if (line === "sonnet" && version === 505) return "between_tools";
  return "least";
}
