import { unstable_splitSqlQuery as splitSql } from "wrangler";
import { type LedgerRow, ledgerLine, type OwnedMigration, planMigrations } from "../../src/host/index.ts";

/** Runs SQL on the account's database, all of it in one batch, and gives what the last statement read. */
export type RemoteSql = (sql: string) => readonly LedgerRow[];

/** As `npm run migrate` does here, for the database of the account. @throws as the batch does. */
export function deployPluginMigrations(
  migrations: readonly OwnedMigration[],
  remote: RemoteSql,
  now: number,
): string[] {
  if (migrations.length === 0) return [];
  const plan = planMigrations(migrations, remote("SELECT plugin, id, hash FROM plugin_migrations"));
  if (!plan.ok) throw new Error(plan.error);
  for (const one of plan.value) remote([...splitSql(one.sql), ledgerLine(one, now)].join(";\n"));
  return plan.value.map(({ plugin, id }) => `${plugin}/${id}`);
}
