import { KernelError } from "../errors.ts";
import type { StoragePort } from "../ports/storage.ts";

/** One step of the storage schema. Append-only: a landed step never changes. Steps only add. */
interface Migration {
  readonly id: string;
  readonly statements: readonly string[];
}

/** `docs/storage.md` says of each table who writes it, who reads it, how long a row lives and what bounds it. */
export const MIGRATIONS: readonly Migration[] = [
  {
    id: "0001-conversation",
    statements: [
      "CREATE TABLE control (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL)",
      "CREATE TABLE entries (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, rev INTEGER NOT NULL, body TEXT NOT NULL)",
      "CREATE TABLE entry_parts (entry INTEGER NOT NULL, n INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (entry, n)) WITHOUT ROWID",
      "CREATE TABLE inputs (key TEXT PRIMARY KEY, status TEXT NOT NULL, fingerprint TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID",
      "CREATE TABLE slots (task INTEGER PRIMARY KEY, body TEXT NOT NULL)",
      "CREATE TABLE memos (task INTEGER NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (task, ns, name)) WITHOUT ROWID",
      "CREATE TABLE done (task INTEGER PRIMARY KEY, kind TEXT NOT NULL, outcome TEXT NOT NULL)",
      "CREATE TABLE namespaces (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID",
      "CREATE TABLE outbox (key TEXT PRIMARY KEY, target TEXT NOT NULL, payload TEXT NOT NULL) WITHOUT ROWID",
    ],
  },
  {
    id: "0002-history",
    statements: [
      "CREATE INDEX heads ON entries (id) WHERE kind IN ('core.summary', 'core.reset', 'core.handoff', 'core.rewind')",
      "CREATE TABLE namespace_versions (name TEXT NOT NULL, rev INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (name, rev)) WITHOUT ROWID",
      "ALTER TABLE done ADD COLUMN result TEXT",
    ],
  },
];

const LEDGER = "CREATE TABLE IF NOT EXISTS migrations (n INTEGER PRIMARY KEY, id TEXT NOT NULL)";

/** True when this storage holds a conversation. Reads only. */
export function holdsConversation(storage: StoragePort): boolean {
  // Of the one table: a look into sqlite_master reads a row of each.
  const found = storage.sql.exec("SELECT 1 AS one FROM pragma_table_info('migrations') LIMIT 1");
  return found.toArray().length > 0;
}

/**
 * Brings the schema up to this code inside the caller's transaction. A ledger longer than the code's list is a newer
 * schema: it is accepted, so that a rollback runs.
 * @throws KernelError `migration_mismatch` when a landed step differs from the code's.
 */
export function migrate(storage: StoragePort, migrations: readonly Migration[] = MIGRATIONS): void {
  const ledger = holdsConversation(storage)
    ? storage.sql.exec<{ id: string }>("SELECT id FROM migrations ORDER BY n").toArray()
    : [];
  for (const [n, row] of ledger.entries()) {
    const known = migrations[n];
    if (known && known.id !== row.id) {
      throw new KernelError(
        "migration_mismatch",
        `Storage step ${n} is ${row.id}, this code expects ${known.id}: deploy the code that wrote it.`,
      );
    }
  }
  if (ledger.length >= migrations.length) return;
  storage.sql.exec(LEDGER);
  for (const [n, migration] of migrations.entries()) {
    if (n < ledger.length) continue;
    for (const statement of migration.statements) storage.sql.exec(statement);
    storage.sql.exec("INSERT INTO migrations (n, id) VALUES (?, ?)", n, migration.id);
  }
}
