import { PluginError } from "../plugin-error.ts";
import type { OwnedMigration } from "./plugin-migration.ts";

const MIGRATION_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** @throws PluginError naming the plugin, the migration and what is wrong with it. */
export function checkMigration({ plugin, id, when, sql }: OwnedMigration): void {
  const fail = (what: string) =>
    new PluginError("bad_migration", `Plugin ${plugin}: the migration ${JSON.stringify(id)} ${what}`);
  if (!MIGRATION_ID.test(id)) throw fail(`must have an id that matches ${MIGRATION_ID.source}.`);
  if (when !== "once" && when !== "every-deploy") throw fail("must say when: once or every-deploy.");
  if (typeof sql !== "string" || sql.trim() === "") throw fail("has no SQL.");
}
