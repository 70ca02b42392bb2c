import { err, ok, type Result } from "../../lib/result.ts";
import { type LedgerRow, migrationHash, type OwnedMigration } from "./plugin-migration.ts";

/**
 * The migrations to apply now, in plugin order; or why none may be. One whose text changed after it was applied is
 * refused. Rows of plugins that are gone or switched off stay and count for nothing.
 */
export function planMigrations(
  migrations: readonly OwnedMigration[],
  ledger: readonly LedgerRow[],
): Result<readonly OwnedMigration[], string> {
  const changed = migrations.find((one) => one.when === "once" && isChanged(one, ledger));
  if (changed) {
    const { plugin, id } = changed;
    return err(
      `The migration ${id} of plugin ${plugin} has changed since it was applied: bring its text back and add a new one.`,
    );
  }
  return ok(migrations.filter((one) => one.when === "every-deploy" || rowOf(one, ledger) === undefined));
}

/** What keeps code from running over a database; undefined: nothing. Reads only, whoever runs requests applies nothing. */
export function ledgerFault(migrations: readonly OwnedMigration[], ledger: readonly LedgerRow[]): string | undefined {
  const behind = migrations.find((one) => rowOf(one, ledger)?.hash !== migrationHash(one));
  if (!behind) return undefined;
  const what = rowOf(behind, ledger) ? "holds another version of" : "lacks";
  return (
    `The database ${what} the migration ${behind.id} of plugin ${behind.plugin}: run npm run migrate here, ` +
    "or npm run deploy for a deployment."
  );
}

function rowOf({ plugin, id }: OwnedMigration, ledger: readonly LedgerRow[]): LedgerRow | undefined {
  return ledger.find((row) => row.plugin === plugin && row.id === id);
}

function isChanged(one: OwnedMigration, ledger: readonly LedgerRow[]): boolean {
  const row = rowOf(one, ledger);
  return row !== undefined && row.hash !== migrationHash(one);
}
