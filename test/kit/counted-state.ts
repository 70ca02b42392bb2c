/** What an object's storage was asked to write, as the platform bills it. */
export interface WriteCounts {
  rows: number;
  read: number;
  alarms: number;
}

/** The object's state with its storage's writes counted. While it is broken, no transaction begins. */
export function countedState(
  ctx: DurableObjectState,
  counts: WriteCounts,
  isBroken: () => boolean = () => false,
): DurableObjectState {
  const sql = new Proxy(ctx.storage.sql, {
    get(target, key) {
      if (key !== "exec") return Reflect.get(target, key, target) as unknown;
      return (query: string, ...bindings: unknown[]) => {
        const cursor = target.exec(query, ...bindings);
        const rows = cursor.toArray();
        counts.rows += cursor.rowsWritten;
        counts.read += cursor.rowsRead;
        const { rowsWritten, rowsRead } = cursor;
        return { toArray: () => rows, [Symbol.iterator]: () => rows.values(), rowsWritten, rowsRead };
      };
    },
  });
  const storage = proxied(ctx.storage, {
    sql,
    transactionSync: <T>(closure: () => T): T => {
      if (isBroken()) throw new Error("the disk is full");
      return ctx.storage.transactionSync(closure);
    },
    setAlarm: (at: number) => {
      counts.alarms++;
      return ctx.storage.setAlarm(at);
    },
    deleteAlarm: () => {
      counts.alarms++;
      return ctx.storage.deleteAlarm();
    },
  });
  return proxied(ctx, { storage });
}

function proxied<T extends object>(target: T, instead: { readonly [key: string]: unknown }): T {
  return new Proxy(target, {
    get(inner, key) {
      if (typeof key === "string" && Object.hasOwn(instead, key)) return instead[key];
      const value: unknown = Reflect.get(inner, key, inner);
      return typeof value === "function" ? (value.bind(inner) as unknown) : value;
    },
  });
}
