import { type AppEnv, readSecret } from "../env.ts";
import { type AiBinding, createModels, type Models } from "../models/index.ts";
import type { Config } from "../protocol/config.ts";

/** The models that can be used here now, by name. Nothing is asked of them: that is the conversations' business. */
export function readModelChoices(
  config: Config,
  env: AppEnv,
  clock: { now(): number },
): Pick<Models, "choices" | "defaultModel"> {
  const ai = Reflect.get(env, "AI") as AiBinding | undefined;
  const { choices, defaultModel } = createModels({
    config,
    ...(ai && { ai }),
    secrets: (name) => readSecret(env, name),
    clock: { ...clock, wait: () => Promise.resolve() },
    loadFile: () => Promise.reject(new Error("Bug: only names are read here")),
    demo: {
      stream() {
        throw new Error("Bug: only names are read here");
      },
    },
  });
  return { choices, defaultModel };
}
