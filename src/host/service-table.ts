import type { Plugin, Services } from "./plugin.ts";
import { PluginError } from "./plugin-error.ts";
import type { ServiceKey } from "./service-key.ts";

/** Who provides what, while plugins are set up one after the other. Keys are compared as objects: an id alone proves nothing. */
export class ServiceTable {
  readonly #owners = new Map<ServiceKey<unknown>, string>();
  readonly #values = new Map<ServiceKey<unknown>, unknown>();
  #settingUp: Plugin | undefined;

  /** @throws PluginError when two provide the same, or something required comes later or never. */
  constructor(plugins: readonly Plugin[]) {
    const places = new Map<ServiceKey<unknown>, number>();
    for (const [place, plugin] of plugins.entries()) {
      for (const key of plugin.provides ?? []) {
        const owner = this.#owners.get(key) ?? this.#ownerOfId(key);
        if (owner !== undefined) throw providedTwice(key, owner, plugin.name);
        this.#owners.set(key, plugin.name);
        places.set(key, place);
      }
    }
    for (const [place, plugin] of plugins.entries()) {
      for (const key of plugin.requires ?? []) this.#requireEarlier(plugin.name, key, place, places.get(key));
    }
  }

  /** The services as the plugin that is set up now may use them; only `get` and `find` afterwards. */
  during(plugin: Plugin): Services {
    return {
      get: (key) => this.#get(key, plugin.name),
      find: (key) => this.#values.get(key) as typeof key.value,
      provide: (key, value) => this.#provide(plugin, key, value),
    };
  }

  begin(plugin: Plugin): void {
    this.#settingUp = plugin;
  }

  /** @throws PluginError when the plugin did not provide what it declared. */
  end(plugin: Plugin): void {
    this.#settingUp = undefined;
    const missing = (plugin.provides ?? []).find((key) => !this.#values.has(key));
    if (!missing) return;
    throw new PluginError(
      "service_missing",
      `Plugin ${plugin.name} declares the service ${missing.id} and did not provide it: call services.provide in its setup.`,
    );
  }

  #get<T>(key: ServiceKey<T>, asker: string): T {
    if (this.#values.has(key)) return this.#values.get(key) as T;
    const owner = this.#owners.get(key);
    if (owner === undefined) throw new PluginError("service_absent", absent(asker, key));
    throw new PluginError(
      "service_order",
      `Plugin ${asker} uses the service ${key.id} before ${owner} provided it: list ${owner} before ${asker}.`,
    );
  }

  #provide<T>(plugin: Plugin, key: ServiceKey<T>, value: T): void {
    if (this.#settingUp !== plugin) {
      throw new PluginError(
        "service_undeclared",
        `Plugin ${plugin.name} provides ${key.id} after its setup: provide it in there.`,
      );
    }
    if (this.#owners.get(key) !== plugin.name) {
      throw new PluginError(
        "service_undeclared",
        `Plugin ${plugin.name} provides ${key.id} without declaring it: add it to its provides.`,
      );
    }
    if (this.#values.has(key)) throw providedTwice(key, plugin.name, plugin.name);
    this.#values.set(key, value);
  }

  #requireEarlier(plugin: string, key: ServiceKey<unknown>, place: number, provided: number | undefined): void {
    if (provided === undefined) throw new PluginError("service_absent", absent(plugin, key));
    if (provided < place) return;
    const owner = this.#owners.get(key);
    const remedy = owner === plugin ? "it cannot require its own" : `list ${owner} before ${plugin}`;
    throw new PluginError(
      "service_order",
      `Plugin ${plugin} requires the service ${key.id} of ${owner}, which is set up later: ${remedy}.`,
    );
  }

  #ownerOfId(key: ServiceKey<unknown>): string | undefined {
    for (const [other, owner] of this.#owners) if (other.id === key.id) return owner;
    return undefined;
  }
}

function absent(plugin: string, key: ServiceKey<unknown>): string {
  return `Plugin ${plugin} needs the service ${key.id}, which no plugin provides. ${key.absent}`;
}

function providedTwice(key: ServiceKey<unknown>, first: string, second: string): PluginError {
  const who = first === second ? `Plugin ${first} provides` : `Plugins ${first} and ${second} both provide`;
  return new PluginError(
    "service_twice",
    `${who} the service ${key.id}${first === second ? " twice" : ""}: leave one of the two out.`,
  );
}
