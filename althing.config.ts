import type { ConfigInput } from "./src/protocol/config.ts";

/**
 * The one file an operator edits. Every key is optional; a misspelt one is refused at the start. Keys of model vendors
 * are secrets and stand in `.dev.vars` (here) or in `wrangler secret put NAME` (deployed), never in this file: a
 * provider without its key is left out, and with none the built-in demo model answers.
 */
export default {
  name: "Althing",
  timeZone: "UTC",
  providers: {
    anthropic: {
      kind: "anthropic",
      keyFrom: "ANTHROPIC_API_KEY",
      models: [
        {
          id: "claude-sonnet-4-5",
          label: "Claude Sonnet 4.5",
          thinking: true,
          images: true,
          price: { input: 3, output: 15, cachedRead: 0.3, cachedWrite: 3.75 },
        },
      ],
    },
    openai: {
      kind: "openai-responses",
      keyFrom: "OPENAI_API_KEY",
      models: [
        {
          id: "gpt-5",
          label: "GPT-5",
          contextTokens: 400_000,
          thinking: true,
          images: true,
          price: { input: 1.25, output: 10, cachedRead: 0.125 },
        },
      ],
    },
  },
} satisfies ConfigInput;
