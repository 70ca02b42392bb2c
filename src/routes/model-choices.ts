import type { Config } from "../protocol/config.ts";
import type { ModelChoice } from "../protocol/rest.ts";

/** The built-in model that answers where no key is set. */
const DEMO: ModelChoice = {
  id: "demo/demo",
  label: "Demo (no key needed)",
  thinking: ["off"],
  images: false,
  demo: true,
};

/** The models that can answer here: those whose provider has its key, and the demo model. */
export function listModelChoices(config: Config, hasSecret: (name: string) => boolean): readonly ModelChoice[] {
  const real = Object.entries(config.providers)
    .filter(([, provider]) => provider.keyFrom === undefined || hasSecret(provider.keyFrom))
    .flatMap(([name, provider]) =>
      provider.models.map((model): ModelChoice => {
        return {
          id: `${name}/${model.id}`,
          label: model.label ?? model.id,
          thinking: model.thinking ? ["off", "low", "medium", "high"] : ["off"],
          images: model.images,
          demo: false,
        };
      }),
    );
  return [...real, DEMO];
}

/** The model that a new conversation starts with: the configured one when it can answer, else the first that can. */
export function defaultModel(config: Config, choices: readonly ModelChoice[]): string {
  const chosen = choices.find((choice) => choice.id === config.agent.model) ?? choices[0];
  return chosen?.id ?? DEMO.id;
}
