import type { HoldRule } from "../holds/index.ts";
import type { Hooks, Namespace, Section, TaskDefinition, Tool } from "../kernel/index.ts";
import type { Tier } from "../people/facts.ts";
import type { Config } from "../protocol/config.ts";
import type { Database } from "../store/database.ts";
import type { Prompts } from "./prompts.ts";
import type { ServiceKey } from "./service-key.ts";

/** A tool and who is offered it: speakers of this tier or above. */
export interface PluginTool {
  readonly tool: Tool;
  readonly tier: Tier;
}

/** Handlers in the name of one of the plugin's own namespaces. */
export interface PluginHooks {
  readonly namespace: Namespace;
  readonly hooks: Hooks;
}

/** What a plugin adds to every conversation. Each list in the order in which it counts. */
export interface PluginParts {
  readonly tools?: readonly PluginTool[];
  /** Rules that hold calls of any tool; they come in plugin order, the first description wins. */
  readonly holdRules?: readonly HoldRule[];
  readonly sections?: readonly Section[];
  readonly namespaces?: readonly Namespace[];
  readonly taskKinds?: readonly TaskDefinition[];
  readonly hooks?: readonly PluginHooks[];
  /** What takes people's answers to what the plugin asked them. */
  readonly prompts?: readonly Prompts[];
}

/** What other plugins provide, by key. */
export interface Services {
  /** @throws PluginError telling apart what nobody provides from what is set up later. */
  get<T>(key: ServiceKey<T>): T;
  /** Undefined when nobody provides it. */
  find<T>(key: ServiceKey<T>): T | undefined;
  /** Provides what the plugin declared. Only during its setup, once. */
  provide<T>(key: ServiceKey<T>, value: T): void;
}

/** What a plugin is set up with. */
export interface SetupContext {
  readonly services: Services;
  readonly config: Config;
  readonly fetch: typeof fetch;
  /** A secret of the deployment by name; undefined when it is not set. */
  secret(name: string): string | undefined;
  /** The directory. Not during setup, which must be pure assembly. */
  database(): Database;
  /** A line for the operator. Never message text, never a secret. */
  log(event: string, facts: { readonly [key: string]: string | number | boolean | null }): void;
}

/** A named value that contributes parts to the host. Set up once per isolate. */
export interface Plugin {
  readonly name: string;
  readonly provides?: readonly ServiceKey<unknown>[];
  readonly requires?: readonly ServiceKey<unknown>[];
  /** Synchronous, pure assembly. */
  setup(context: SetupContext): PluginParts;
  /** Looks whether everything outside is as it must be; a throw stops the start. */
  preflight?(context: SetupContext): Promise<void> | void;
}
