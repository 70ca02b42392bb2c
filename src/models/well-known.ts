import type { ModelConfig, ProviderConfig } from "../protocol/config.ts";

/**
 * Providers that stand without configuration once their key is set. `contextTokens` is the window in which the stated
 * price holds: some vendors charge more for longer prompts. Prices as of November 2026, absent where not certain.
 */
export const WELL_KNOWN: { readonly [name: string]: ProviderConfig & { readonly keyFrom: string } } = {
  anthropic: {
    kind: "anthropic",
    keyFrom: "ANTHROPIC_API_KEY",
    models: [
      model("claude-sonnet-5-5", "Claude Sonnet 5.5", 1_000_000, [2, 10, 0.1, 2.5]),
      model("claude-opus-5-5", "Claude Opus 5.5", 1_000_000, [4, 20, 0.2, 5]),
      model("claude-haiku-5-5", "Claude Haiku 5.5", 100_000, [0.1, 0.5, 0.01, 0.125]),
    ],
  },
  openai: {
    kind: "openai-responses",
    keyFrom: "OPENAI_API_KEY",
    models: [
      model("gpt-6.2-sol", "GPT-6.2 Sol", 272_000, [2, 10, 0.1, 2.5]),
      model("gpt-6.2-astra", "GPT-6.2 Astra", 272_000),
      model("gpt-6-luna", "GPT-6 Luna", 272_000),
    ],
  },
};

function model(
  id: string,
  label: string,
  contextTokens: number,
  prices?: readonly [input: number, output: number, cachedRead: number, cachedWrite: number],
): ModelConfig {
  const common = { id, label, contextTokens, maxOutputTokens: 16_000, thinking: true, images: true };
  if (prices === undefined) return common;
  const [input, output, cachedRead, cachedWrite] = prices;
  return { ...common, price: { input, output, cachedRead, cachedWrite } };
}
