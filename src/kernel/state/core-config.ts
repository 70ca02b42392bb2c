import type { JsonObject } from "../../lib/json.ts";

/** Configuration keys of the kernel's own task kinds. */
export const CORE_CONFIG = {
  /** Whether older messages are summarised by themselves when the model's window fills up. */
  autoCompact: true,
  /** How full it may get, as a part of one. */
  compactAt: 0.75,
  /** Tokens of recent messages that a summary leaves as they are. */
  keepRecentTokens: 20_000,
} as const satisfies JsonObject;
