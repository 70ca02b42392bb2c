import { type Host, type PluggedModels, PluginError } from "../host/index.ts";
import { createDemoModel } from "../models/demo/model.ts";
import { type AiBinding, createModels, type LoadFile, listModels, type Models } from "../models/index.ts";
import type { Config } from "../protocol/config.ts";
import type { ConversationOptions } from "./conversation/conversation-options.ts";
import { systemClock } from "./platform.ts";
import { secretOf } from "./secret-of.ts";

/** The models of a deployment: the configured ones, those of a plugin, the demo model. */
export function deployedModels(
  { config, models }: Pick<ConversationOptions, "config" | "models">,
  env: object,
  { providers }: Pick<Host, "providers">,
  loadFile: LoadFile,
): Models {
  const demo = createDemoModel({ clock: systemClock });
  const configured = createModels({ ...modelsConfig(config, env), loadFile, demo, clock: systemClock });
  const all = withPlugged(configured, providers.get("models"), config);
  return models ? models(all) : all;
}

/** Their names: nothing is asked of them. */
export function modelChoices(
  config: Config,
  env: object,
  { providers }: Pick<Host, "providers">,
): Pick<Models, "choices" | "defaultModel"> {
  const { choices, defaultModel } = listModels(modelsConfig(config, env));
  return withChoices(choices, defaultModel, providers.get("models"), config);
}

/** @throws PluginError when a configured provider has the name of the plugged models already. */
export function requireOwnName(config: Config, env: object, { providers }: Pick<Host, "providers">): void {
  const [plugged, filling] = [providers.get("models"), providers.filled("models")];
  if (!plugged || filling?.by !== "plugin") return;
  const { choices } = listModels(modelsConfig(config, env));
  const isTaken = Object.hasOwn(config.providers, plugged.name) || choices.some(({ id }) => isOf(plugged, id));
  if (!isTaken) return;
  throw new PluginError(
    "clash",
    `Plugin ${filling.plugin} and providers in althing.config.ts both have models named ${plugged.name}/…: rename one of the two.`,
  );
}

function modelsConfig(config: Config, env: object) {
  const ai = Reflect.get(env, "AI") as AiBinding | undefined;
  return { config, secrets: (name: string) => secretOf(env, name), ...(ai && { ai }) };
}

function withPlugged(configured: Models, plugged: PluggedModels | undefined, config: Config): Models {
  if (!plugged) return configured;
  const limits = new Map(plugged.models.map((model) => [model.id, model]));
  return {
    ...withChoices(configured.choices, configured.defaultModel, plugged, config),
    port: {
      stream: (request, signal) =>
        (isOf(plugged, request.model) ? plugged.port : configured.port).stream(request, signal),
    },
    limits: (model) => limits.get(model) ?? configured.limits(model),
  };
}

function withChoices(
  configured: Models["choices"],
  defaultModel: string,
  plugged: PluggedModels | undefined,
  config: Config,
): Pick<Models, "choices" | "defaultModel"> {
  const added = (plugged?.models ?? []).map(({ id, label, thinking, images }) => {
    return { id, label, thinking, images, demo: false };
  });
  const choices = [...configured.filter(({ demo }) => !demo), ...added, ...configured.filter(({ demo }) => demo)];
  return { choices, defaultModel: config.agent.model ?? choices[0]?.id ?? defaultModel };
}

function isOf({ name }: PluggedModels, model: string): boolean {
  return model.startsWith(`${name}/`);
}
