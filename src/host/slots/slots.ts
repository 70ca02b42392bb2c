import type { ModelPort } from "../../kernel/index.ts";
import type { Json } from "../../lib/json.ts";
import type { Result } from "../../lib/result.ts";
import type { ModelChoice } from "../../protocol/rest.ts";
import type { Judge } from "./judge.ts";

/** Draws pictures. An error is a sentence. */
export interface ImageMaker {
  draw(
    prompt: string,
    signal: AbortSignal,
  ): Promise<Result<{ readonly bytes: Uint8Array; readonly mediaType: string }, string>>;
}

/** Runs what a model wrote: without network, with nothing but the tools that are handed in. An error is a sentence. */
export interface ScriptRuntime {
  run(
    module: string,
    call: (tool: string, input: Json) => Promise<Json>,
    signal: AbortSignal,
  ): Promise<Result<Json, string>>;
}

/** A page in a browser. */
export interface BrowserPage {
  text(): Promise<string>;
  /** PNG */
  screenshot(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Opens pages in a browser. */
export interface BrowserDriver {
  open(url: string, signal: AbortSignal): Promise<BrowserPage>;
}

/** A model that a plugin brings. */
export interface PluggedModel extends Omit<ModelChoice, "demo"> {
  /** Tokens of its window, answer included. */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
}

/** Models beside the configured ones. */
export interface PluggedModels {
  /** Ids are `<name>/<model>`; the name is no configured provider's. */
  readonly name: string;
  readonly models: readonly PluggedModel[];
  /** Answers requests for these models. */
  readonly port: ModelPort;
}

/** The parts that one plugin may replace or fill. */
export interface ProviderSlots {
  readonly judge: Judge;
  readonly images: ImageMaker;
  readonly runtime: ScriptRuntime;
  readonly models: PluggedModels;
  readonly browser: BrowserDriver;
}

export type SlotName = keyof ProviderSlots;

/** What each slot's filler must be able to do. */
export const SLOT_METHODS: { readonly [slot in SlotName]: readonly string[] } = {
  judge: ["judge"],
  images: ["draw"],
  runtime: ["run"],
  models: [],
  browser: ["open"],
};

/** Who fills a slot. */
export type Filling = { readonly by: "plugin"; readonly plugin: string } | { readonly by: "default" };

/** The slots as plugins reach them, once all are set up. */
export interface Providers {
  /** Undefined: nobody fills it. @throws PluginError during a setup, when not all fillers are known. */
  get<S extends SlotName>(slot: S): ProviderSlots[S] | undefined;
  /** Tells a plugin's filler from the default. Undefined: nobody fills it. @throws as {@link get}. */
  filled(slot: SlotName): Filling | undefined;
}
