import type { NamedHoldRule } from "../holds/index.ts";
import { nearest } from "../lib/nearest.ts";
import type { Tier } from "../people/facts.ts";
import type { BackgroundTarget } from "./background/background-target.ts";
import { checkParts } from "./check-parts.ts";
import type { Watcher } from "./events/event-teller.ts";
import { migrationsOf } from "./migrations/migrations-of.ts";
import type { OwnedMigration } from "./migrations/plugin-migration.ts";
import { Owners } from "./owners.ts";
import { requireSurfaces } from "./parts/check-chat-parts.ts";
import type { Persona } from "./personas/persona.ts";
import type { Plugin, PluginParts, SetupContext } from "./plugin.ts";
import { PluginError } from "./plugin-error.ts";
import type { Claim } from "./router/claim.ts";
import { inOrder } from "./router/route.ts";
import type { ChatSurface } from "./router/surface.ts";
import type { PluginRoute } from "./routes/plugin-route.ts";
import { ServiceTable } from "./service-table.ts";
import { SlotTable } from "./slots/slot-table.ts";
import type { ProviderSlots, Providers } from "./slots/slots.ts";

/** A plugin that was set up. */
export interface LinkedPlugin {
  readonly name: string;
  readonly parts: PluginParts;
}

/** What a host is made with: the setup context, but what plugins give one another. */
export interface HostContext extends Omit<SetupContext, "services" | "providers"> {
  /** What fills a slot that no plugin fills. */
  readonly defaults?: Partial<ProviderSlots>;
}

/** Every plugin of a deployment, set up and checked against every other. Made once per isolate. */
export class Host {
  readonly plugins: readonly LinkedPlugin[];
  /** In plugin order. */
  readonly holdRules: readonly NamedHoldRule[];
  /** In the order in which they are asked. */
  readonly claims: readonly Claim[];
  readonly backgroundTargets: readonly BackgroundTarget[];
  readonly personas: readonly Persona[];
  /** In plugin order, each plugin's own in its own. */
  readonly migrations: readonly OwnedMigration[];
  readonly watchers: readonly Watcher[];
  readonly providers: Providers;
  readonly #tools = new Map<string, { readonly plugin: string; readonly tier: Tier }>();
  readonly #preflights: readonly (() => Promise<void>)[];

  /** @param features which plugins are switched on or off, by name; absent: on. @throws PluginError */
  constructor(plugins: readonly Plugin[], context: HostContext, features: { readonly [name: string]: boolean } = {}) {
    requireKnown(plugins, features);
    const chosen = plugins.filter(({ name }) => features[name] ?? true);
    const services = new ServiceTable(chosen);
    const owners = new Owners();
    const { defaults, ...outside } = context;
    const slots = new SlotTable(defaults);
    this.providers = slots;
    let isSettingUp = true;
    const contextOf = (plugin: Plugin): SetupContext => ({
      ...outside,
      providers: slots,
      services: services.during(plugin),
      database() {
        if (isSettingUp) throw queryInSetup(plugin.name);
        return context.database();
      },
    });
    for (const { name } of chosen) owners.claim("plugin", name, name);
    this.migrations = migrationsOf(plugins, features);
    this.plugins = chosen.map((plugin) => {
      services.begin(plugin);
      const parts = checkParts(plugin.name, runSetup(plugin, contextOf(plugin)), owners);
      slots.fill(plugin.name, parts.providers ?? {}, owners);
      services.end(plugin);
      return { name: plugin.name, parts };
    });
    isSettingUp = false;
    slots.close();
    requireSurfaces(this.plugins);
    this.claims = inOrder(this.plugins.flatMap(({ parts }) => parts.claims ?? []));
    this.backgroundTargets = this.plugins.flatMap(({ parts }) => parts.backgroundTargets ?? []);
    this.personas = this.plugins.flatMap(({ parts }) => parts.personas ?? []);
    this.watchers = this.plugins.flatMap(({ name, parts }) =>
      parts.events ? [{ plugin: name, events: parts.events }] : [],
    );
    this.holdRules = this.plugins.flatMap(({ name, parts }) =>
      (parts.holdRules ?? []).map((describe, index) => ({ id: `${name}.${index}`, approvalTier: "member", describe })),
    );
    for (const { name, parts } of this.plugins) {
      for (const { tool, tier } of parts.tools ?? []) this.#tools.set(tool.name, { plugin: name, tier });
    }
    this.#preflights = chosen.map((plugin) => () => runPreflight(plugin, contextOf(plugin)));
  }

  /** The plugin that a tool belongs to; undefined when none has it. */
  ownerOf(tool: string): string | undefined {
    return this.#tools.get(tool)?.plugin;
  }

  /** Who is offered a tool. What no plugin has is offered to owners only. */
  tierOf(tool: string): Tier {
    return this.#tools.get(tool)?.tier ?? "owner";
  }

  /** The chat network of a prefix; undefined when no plugin has it. */
  surfaceOf(prefix: string): ChatSurface | undefined {
    const surfaces = this.plugins.flatMap(({ parts }) => parts.surfaces ?? []);
    return surfaces.find(({ surface }) => surface === prefix);
  }

  /** What a plugin answers to; nothing when there is no such plugin, or it is switched off. */
  routesOf(plugin: string): readonly PluginRoute[] {
    return this.plugins.find(({ name }) => name === plugin)?.parts.routes ?? [];
  }

  /** Lets every plugin look at what is outside, in plugin order. @throws PluginError of the first that cannot work. */
  async preflight(): Promise<void> {
    for (const look of this.#preflights) await look();
  }
}

function requireKnown(plugins: readonly Plugin[], features: { readonly [name: string]: boolean }): void {
  const names = plugins.map(({ name }) => name);
  const unknown = Object.keys(features).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const close = nearest(unknown, names);
  const hint = close === undefined ? `there are ${names.join(", ")}.` : `did you mean ${close}?`;
  throw new PluginError("unknown_feature", `There is no feature ${JSON.stringify(unknown)} to switch: ${hint}`);
}

function runSetup(plugin: Plugin, context: SetupContext): unknown {
  try {
    return plugin.setup(context);
  } catch (error) {
    if (error instanceof PluginError) throw error;
    throw new PluginError("setup_failed", `Plugin ${plugin.name}: its setup failed: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

async function runPreflight(plugin: Plugin, context: SetupContext): Promise<void> {
  try {
    await plugin.preflight?.(context);
  } catch (error) {
    throw new PluginError("preflight_failed", `Plugin ${plugin.name} cannot work here: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

function queryInSetup(plugin: string): PluginError {
  return new PluginError(
    "query_in_setup",
    `Plugin ${plugin} asks the database during its setup, which is pure assembly: ask in preflight or when it is used.`,
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
