import type { ConfigInput } from "./src/protocol/config.ts";

/**
 * The one file an operator edits; README.md lists every key. A misspelt key stops the start and is named. Secrets stand
 * in `.dev.vars` here and in `wrangler secret put NAME` when deployed, never in this file. Without `providers` the
 * well-known ones answer as soon as their key is set, and until then the built-in demo model does.
 */
export default {
  name: "Althing",
  timeZone: "UTC",
} satisfies ConfigInput;
