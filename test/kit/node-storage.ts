import { DatabaseSync } from "node:sqlite";
import type { SqlCursor, SqlValue, StoragePort } from "../../src/kernel/index.ts";

/** Rows that statements wrote and read, as the platform bills them for tables without secondary indexes. */
export interface RowCounts {
  written: number;
  read: number;
}

/**
 * The storage port over Node's SQLite: the same statements and the same transactions as a Durable Object's storage, fast
 * and without a platform. Counts changed rows; a read counts the rows that it returned.
 */
export class NodeStorage implements StoragePort {
  readonly database = new DatabaseSync(":memory:");
  readonly counts: RowCounts = { written: 0, read: 0 };
  #inTransaction = false;

  readonly sql = {
    exec: <T extends Record<string, SqlValue>>(query: string, ...bindings: unknown[]): SqlCursor<T> => {
      const statement = this.database.prepare(query);
      const before = this.#totalChanges();
      const rows = statement.all(...(bindings as (string | number | null)[])) as T[];
      const rowsWritten = query.startsWith("CREATE") ? 0 : this.#totalChanges() - before;
      this.counts.written += rowsWritten;
      this.counts.read += rows.length;
      return {
        toArray: () => rows,
        rowsWritten,
        rowsRead: rows.length,
        [Symbol.iterator]: () => rows[Symbol.iterator](),
      };
    },
  };

  transactionSync<T>(closure: () => T): T {
    if (this.#inTransaction) throw new Error("a transaction inside a transaction");
    this.#inTransaction = true;
    this.database.exec("BEGIN");
    try {
      const value = closure();
      this.database.exec("COMMIT");
      return value;
    } catch (error) {
      this.database.exec("ROLLBACK");
      throw error;
    } finally {
      this.#inTransaction = false;
    }
  }

  #totalChanges(): number {
    const row = this.database.prepare("SELECT total_changes() AS n").get();
    return Number(row?.["n"] ?? 0);
  }
}
