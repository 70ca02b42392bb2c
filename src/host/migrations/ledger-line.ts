import { migrationHash, type OwnedMigration } from "./plugin-migration.ts";

/**
 * The statement that notes a migration, for the batch that applies it. What is applied once fails here when somebody else
 * has applied it meanwhile, and takes the batch with it.
 */
export function ledgerLine(migration: OwnedMigration, now: number): string {
  const { plugin, id, when } = migration;
  const hash = migrationHash(migration);
  // Names and hash are of letters, digits, - and _ alone.
  const insert = `INSERT INTO plugin_migrations (plugin, id, hash, applied_at) VALUES ('${plugin}', '${id}', '${hash}', ${Math.floor(now)})`;
  if (when === "once") return insert;
  return `${insert} ON CONFLICT (plugin, id) DO UPDATE SET hash = excluded.hash, applied_at = excluded.applied_at`;
}
