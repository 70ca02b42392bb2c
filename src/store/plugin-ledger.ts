import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "./database.ts";

/** Which migrations of plugins were applied. Written by whoever starts or deploys, in the batch that applies one. */
export const pluginMigrations = sqliteTable(
  "plugin_migrations",
  {
    plugin: text("plugin").notNull(),
    id: text("id").notNull(),
    hash: text("hash").notNull(),
    appliedAt: integer("applied_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.plugin, table.id] })],
);

/** Every row of the ledger. */
export async function readPluginLedger(
  db: Database,
): Promise<readonly { readonly plugin: string; readonly id: string; readonly hash: string }[]> {
  const { plugin, id, hash } = pluginMigrations;
  return await db.select({ plugin, id, hash }).from(pluginMigrations);
}
