import type { HoldRule } from "../holds/index.ts";
import type { Hooks, Namespace, Section, TaskDefinition, Tool } from "../kernel/index.ts";
import type { Tier } from "../people/facts.ts";
import type { Config } from "../protocol/config.ts";
import type { Database } from "../store/database.ts";
import type { BackgroundTarget } from "./background/background-target.ts";
import type { HostEvents } from "./events/host-events.ts";
import type { PluginMigration } from "./migrations/plugin-migration.ts";
import type { Persona } from "./personas/persona.ts";
import type { Prompts } from "./prompts/prompts.ts";
import type { Claim } from "./router/claim.ts";
import type { ChatSurface } from "./router/surface.ts";
import type { PluginRoute } from "./routes/plugin-route.ts";
import type { ServiceKey } from "./service-key.ts";
import type { ProviderSlots, Providers } from "./slots/slots.ts";

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

/** What a plugin adds. Each list in the order in which it counts. */
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
  /** Chat networks. */
  readonly surfaces?: readonly ChatSurface[];
  /** Whose channels are whose, and what becomes of their messages. */
  readonly claims?: readonly Claim[];
  /** Where turns may run that nobody waits for. */
  readonly backgroundTargets?: readonly BackgroundTarget[];
  readonly personas?: readonly Persona[];
  /** What answers under `/plugins/<name>/`. */
  readonly routes?: readonly PluginRoute[];
  /** Replaceable parts of the host that this plugin fills. */
  readonly providers?: Partial<ProviderSlots>;
  readonly events?: HostEvents;
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
  readonly providers: Providers;
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
  /** Changes of the database, applied in this order by whoever starts or deploys; append-only. */
  readonly migrations?: readonly PluginMigration[];
  /** Synchronous, pure assembly. */
  setup(context: SetupContext): PluginParts;
  /** Looks whether everything outside is as it must be; a throw stops the start. */
  preflight?(context: SetupContext): Promise<void> | void;
}
