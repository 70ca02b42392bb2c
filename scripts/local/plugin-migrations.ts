import { unstable_splitSqlQuery as splitSql } from "wrangler";
import { type LedgerRow, ledgerLine, type OwnedMigration, planMigrations } from "../../src/host/index.ts";

const LEDGER = "select plugin, id, hash from plugin_migrations";

/**
 * Applies what plugins have new, and again what they want at every start: each migration with its line of the ledger in
 * one batch, so that a failed one leaves nothing. Of two that start together one applies each.
 * @returns `<plugin>/<id>` of what was applied here.
 * @throws when the ledger holds another version, or a statement fails.
 */
export async function applyPluginMigrations(
  d1: D1Database,
  migrations: readonly OwnedMigration[],
  now: number,
): Promise<string[]> {
  if (migrations.length === 0) return [];
  const plan = planMigrations(migrations, await readLedger(d1));
  if (!plan.ok) throw new Error(plan.error);
  const applied: string[] = [];
  for (const one of plan.value) if (await applyOne(d1, one, now)) applied.push(`${one.plugin}/${one.id}`);
  return applied;
}

/** False: somebody else has applied it meanwhile. */
async function applyOne(d1: D1Database, migration: OwnedMigration, now: number): Promise<boolean> {
  const statements = [...splitSql(migration.sql), ledgerLine(migration, now)];
  try {
    await d1.batch(statements.map((statement) => d1.prepare(statement)));
    return true;
  } catch (error) {
    const left = planMigrations([migration], await readLedger(d1));
    if (left.ok && left.value.length === 0) return false;
    const { plugin, id } = migration;
    throw new Error(`The migration ${id} of plugin ${plugin} failed; nothing of it stands: ${String(error)}`, {
      cause: error,
    });
  }
}

async function readLedger(d1: D1Database): Promise<readonly LedgerRow[]> {
  const { results } = await d1.prepare(LEDGER).all<{ plugin: string; id: string; hash: string }>();
  return results;
}
