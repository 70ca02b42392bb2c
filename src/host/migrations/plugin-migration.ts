import { sha256Hex } from "../../lib/sha256.ts";

/** A change of the database that belongs to a plugin. */
export interface PluginMigration {
  /** `^[a-z0-9][a-z0-9_-]{0,63}$`; stands in the ledger for ever. */
  readonly id: string;
  /** `every-deploy`: again at each start and deploy, so it must be repeatable. */
  readonly when: "once" | "every-deploy";
  /** One or more statements. */
  readonly sql: string;
}

/** A migration and whose it is. */
export interface OwnedMigration extends PluginMigration {
  readonly plugin: string;
}

/** A row of the ledger. */
export interface LedgerRow {
  readonly plugin: string;
  readonly id: string;
  readonly hash: string;
}

/** What a migration says, as the ledger keeps it: changed text is noticed. */
export function migrationHash({ when, sql }: PluginMigration): string {
  return sha256Hex(JSON.stringify([when, sql]));
}
