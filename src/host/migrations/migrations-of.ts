import { Owners } from "../owners.ts";
import type { Plugin } from "../plugin.ts";
import { checkMigration } from "./check-migration.ts";
import type { OwnedMigration } from "./plugin-migration.ts";

/**
 * The migrations of the plugins that are on, in plugin order. Sets nothing up.
 * @throws PluginError for one that cannot be used, and for an id that a plugin has twice.
 */
export function migrationsOf(
  plugins: readonly Plugin[],
  features: { readonly [name: string]: boolean },
): readonly OwnedMigration[] {
  const owners = new Owners();
  const on = plugins.filter(({ name }) => features[name] ?? true);
  const all = on.flatMap(({ name, migrations = [] }) => migrations.map((one) => ({ ...one, plugin: name })));
  for (const one of all) {
    checkMigration(one);
    // An id is its plugin's own: two plugins may have the same.
    owners.claim(`migration of ${one.plugin}`, one.id, one.plugin);
  }
  return all;
}
