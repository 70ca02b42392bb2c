import operatorConfig from "../../althing.config.ts";
import { migrationsOf } from "../../src/host/index.ts";
import { BUILT_IN } from "../../src/objects/plugins.ts";
import { checkConfig } from "../../src/protocol/check-config.ts";
import { applyMigrations, readMigrations } from "./migrations.ts";
import { applyPluginMigrations } from "./plugin-migrations.ts";
import { whileBusy } from "./retry.ts";

/** Brings a local database up to date: the project's own migrations, then those of its plugins. @returns their names. */
export async function bringUpToDate(d1: D1Database, root: string): Promise<string[]> {
  const plugins = migrationsOf(BUILT_IN, checkConfig(operatorConfig).features);
  const own = await whileBusy(() => applyMigrations(d1, readMigrations(root)));
  return [...own, ...(await whileBusy(() => applyPluginMigrations(d1, plugins, Date.now())))];
}
