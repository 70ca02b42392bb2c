import { type AppEnv, readSecret } from "../env.ts";
import { type AiBinding, listModels, type Models } from "../models/index.ts";
import type { Config } from "../protocol/config.ts";

/** The models that can be used here now, by name. */
export function readModelChoices(config: Config, env: AppEnv): Pick<Models, "choices" | "defaultModel"> {
  const ai = Reflect.get(env, "AI") as AiBinding | undefined;
  return listModels({ config, ...(ai && { ai }), secrets: (name) => readSecret(env, name) });
}
