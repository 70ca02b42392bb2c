import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { SqlCursor, SqlValue } from "../../src/kernel/index.ts";
import type { RowCounts, WorldStorage } from "./world-storage.ts";

type Binding = string | number | null;

/**
 * The storage port over Node's SQLite: the same statements and the same transactions as a Durable Object's storage, fast
 * and without a platform. Counts changed rows; a read counts the rows that it returned.
 */
export class NodeStorage implements WorldStorage {
  readonly database = new DatabaseSync(":memory:");
  readonly counts: RowCounts = { written: 0, read: 0 };
  readonly #statements = new Map<string, StatementSync>();
  #inTransaction = false;

  readonly sql = {
    exec: <T extends Record<string, SqlValue>>(query: string, ...bindings: unknown[]): SqlCursor<T> => {
      const before = this.#changesSoFar();
      const rows = this.#prepare(query).all(...(bindings as Binding[])) as T[];
      const rowsWritten = query.startsWith("CREATE") ? 0 : this.#changesSoFar() - before;
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

  #prepare(query: string): StatementSync {
    const known = this.#statements.get(query);
    if (known) return known;
    const statement = this.database.prepare(query);
    this.#statements.set(query, statement);
    return statement;
  }

  #changesSoFar(): number {
    return Number(this.#prepare("SELECT total_changes() AS n").get()?.["n"] ?? 0);
  }
}
