import type { ModelFrame, ModelPort, ModelRequest } from "../kernel/ports/model.ts";
import type { ClockPort } from "../kernel/ports/ports.ts";
import { unreachable } from "../lib/assert.ts";
import { nearest } from "../lib/nearest.ts";
import type { Config, ProviderConfig } from "../protocol/config.ts";
import type { ModelChoice } from "../protocol/rest.ts";
import type { Price } from "../protocol/spending.ts";
import { anthropicPort } from "./anthropic/provider.ts";
import { toModelError } from "./failure.ts";
import type { LoadFile } from "./files/load.ts";
import type { IdleLimits } from "./idle.ts";
import { openAiChatPort } from "./openai-chat/provider.ts";
import { openAiResponsesPort } from "./openai-responses/provider.ts";
import type { Deps, Target } from "./port.ts";
import { WELL_KNOWN } from "./well-known.ts";
import type { AiBinding } from "./workers-ai/binding.ts";
import { workersAiPort } from "./workers-ai/provider.ts";

export type { LoadFile } from "./files/load.ts";
export type { AiBinding } from "./workers-ai/binding.ts";

/** The model that needs no key. */
const DEMO_MODEL = "demo/demo";

export interface ModelsInput {
  readonly config: Config;
  readonly secrets: (name: string) => string | undefined;
  readonly loadFile: LoadFile;
  readonly ai?: AiBinding;
  readonly demo: ModelPort;
  readonly clock: ClockPort;
  /** Stands in for the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Limits of silence, where the defaults do not fit. */
  readonly idle?: IdleLimits;
}

export interface ModelLimits {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Absent: it costs nothing. */
  readonly price?: Price;
}

export interface Models {
  /** One port for all: it routes by the request's model. */
  readonly port: ModelPort;
  /** Models that can be used now, the demo model last. */
  readonly choices: readonly ModelChoice[];
  readonly defaultModel: string;
  /** Limits of a model, or undefined when there is no such model. */
  limits(model: string): ModelLimits | undefined;
}

const DEMO_CHOICE: ModelChoice = {
  id: DEMO_MODEL,
  label: "Demo",
  thinking: ["off", "low", "medium", "high"],
  images: false,
  demo: true,
};
/** A small window, so that summaries can be tried. */
const DEMO_LIMITS: ModelLimits = { contextTokens: 32_000, maxOutputTokens: 8_000 };

/** What decides which models there are. */
type ModelsConfig = Pick<ModelsInput, "config" | "secrets" | "ai">;

/** The models of a configuration that can be used now, by name: nothing is asked of them. */
export function listModels(input: ModelsConfig): Pick<Models, "choices" | "defaultModel"> {
  const usable = [...collectTargets(input)].filter(([, target]) => isUsable(target, input));
  const choices = [...usable.map(([id, target]) => toChoice(id, target)), DEMO_CHOICE];
  return { choices, defaultModel: input.config.agent.model ?? choices[0]?.id ?? DEMO_MODEL };
}

/** Builds the providers of a configuration. No vendor's code is loaded before its first request. */
export function createModels(input: ModelsInput): Models {
  const targets = collectTargets(input);
  return {
    ...listModels(input),
    port: createRouter(targets, input),
    limits(model) {
      if (model === DEMO_MODEL) return DEMO_LIMITS;
      const found = targets.get(model)?.model;
      if (!found) return undefined;
      const { contextTokens, maxOutputTokens, price } = found;
      return { contextTokens, maxOutputTokens, ...(price && { price }) };
    },
  };
}

/** Every configured model by its full name; where nothing is configured, the well-known ones whose key is set. */
function collectTargets({ config, secrets }: ModelsConfig): ReadonlyMap<string, Target> {
  const { unpriced } = config.spending;
  const configured = Object.entries(config.providers);
  const known = Object.entries(WELL_KNOWN).filter(([, { keyFrom }]) => readKey(secrets, keyFrom) !== undefined);
  const providers: (readonly [string, ProviderConfig])[] = configured.length > 0 ? configured : known;
  return new Map(
    providers.flatMap(([provider, { models, ...config }]) => {
      const key = config.keyFrom === undefined ? undefined : readKey(secrets, config.keyFrom);
      return models.map((named): [string, Target] => {
        const model = named.price || !unpriced ? named : { ...named, price: unpriced };
        return [`${provider}/${model.id}`, { provider, config, model, key }];
      });
    }),
  );
}

/** A pasted key often brings a line end along, which no header may hold. */
function readKey(secrets: ModelsInput["secrets"], name: string): string | undefined {
  return secrets(name)?.trim() || undefined;
}

function isUsable({ config, key }: Target, { ai }: ModelsConfig): boolean {
  if (config.kind === "workers-ai") return ai !== undefined;
  return config.keyFrom === undefined || key !== undefined;
}

function toChoice(id: string, { provider, model }: Target): ModelChoice {
  return {
    id,
    label: model.label ?? `${model.id} (${provider})`,
    thinking: model.thinking ? ["off", "low", "medium", "high"] : ["off"],
    images: model.images,
    demo: false,
  };
}

function createRouter(targets: ReadonlyMap<string, Target>, input: ModelsInput): ModelPort {
  const deps: Deps = {
    clock: input.clock,
    fetch: input.fetch ?? ((...args) => fetch(...args)),
    loadFile: input.loadFile,
    ...(input.idle ? { idle: input.idle } : {}),
  };
  return {
    stream(request, signal) {
      if (request.model === DEMO_MODEL) return input.demo.stream(request, signal);
      const target = targets.get(request.model);
      return target === undefined
        ? unknownModel(request, [...targets.keys(), DEMO_MODEL])
        : portOf(target, deps, input.ai).stream(request, signal);
    },
  };
}

function portOf(target: Target, deps: Deps, ai: AiBinding | undefined): ModelPort {
  switch (target.config.kind) {
    case "anthropic":
      return anthropicPort(target, deps);
    case "openai-chat":
      return openAiChatPort(target, deps);
    case "openai-responses":
      return openAiResponsesPort(target, deps);
    case "workers-ai":
      return workersAiPort(target, deps, ai);
    default:
      return unreachable(target.config.kind);
  }
}

async function* unknownModel({ model }: ModelRequest, known: readonly string[]): AsyncGenerator<ModelFrame> {
  const shown = JSON.stringify(model.slice(0, 100).toWellFormed());
  const meant = nearest(model, known);
  const hint = meant === undefined ? "" : `Did you mean ${meant}? `;
  const remedy = `${hint}Choose one of the models on offer.`;
  yield { type: "error", error: toModelError({ kind: "unknown_model", remedy }, { model: shown }) };
}
