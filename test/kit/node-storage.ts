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
  #depth = 0;

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
    const name = `level${this.#depth++}`;
    this.database.exec(`SAVEPOINT ${name}`);
    try {
      return closure();
    } catch (error) {
      this.database.exec(`ROLLBACK TO ${name}`);
      throw error;
    } finally {
      this.database.exec(`RELEASE ${name}`);
      this.#depth--;
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
