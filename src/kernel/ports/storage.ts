/** What SQLite stores and returns. */
export type SqlValue = ArrayBuffer | string | number | null;

export interface SqlCursor<T extends Record<string, SqlValue>> extends Iterable<T> {
  toArray(): T[];
  /** Rows written so far by this statement, index rows included. */
  readonly rowsWritten: number;
  readonly rowsRead: number;
}

/**
 * The storage port: the shape of a Durable Object's storage, so `ctx.storage` is one as it stands. Synchronous; every
 * statement may throw. `transactionSync` runs its callback at once and makes all of its statements (and alarm changes)
 * durable together, or, when it throws, none. One inside another undoes only itself when it throws. One owner at a time.
 */
export interface StoragePort {
  readonly sql: {
    exec<T extends Record<string, SqlValue>>(query: string, ...bindings: unknown[]): SqlCursor<T>;
  };
  transactionSync<T>(closure: () => T): T;
}
