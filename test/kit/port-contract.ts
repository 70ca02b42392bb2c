import { describe, expect, it } from "vitest";
import type { AlarmPort, ClockPort, StoragePort } from "../../src/kernel/index.ts";

/** Runs a test's body where the port lives. */
export type Within<T> = (body: (port: T) => void | Promise<void>) => Promise<void>;

/** An alarm, the storage that it belongs to, and a way to look at it from outside. */
export interface AlarmBench {
  readonly alarm: AlarmPort;
  readonly storage: Pick<StoragePort, "transactionSync">;
  armedFor(): Promise<number | null>;
}

const rowsOf = ({ sql }: StoragePort) =>
  sql.exec<{ id: number; body: string | null }>("SELECT * FROM t ORDER BY id").toArray();

/** What the kernel relies on in any storage. Each test gets an empty one. */
export function describeStorageContract(name: string, within: Within<StoragePort>): void {
  const withTable = (body: (storage: StoragePort) => void) =>
    within((storage) => {
      storage.sql.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)");
      body(storage);
    });

  describe(`storage of ${name}`, () => {
    it("[E-24] what is written is read back, byte for byte, in the order asked for", () =>
      withTable((storage) => {
        const texts = ["", "plain", "é€😀", "a\u0000b", '{"json":"\\u0000"}', "\ufeffmark", "x".repeat(1_000_000)];
        for (const [id, text] of texts.entries()) storage.sql.exec("INSERT INTO t (id, body) VALUES (?, ?)", id, text);
        storage.sql.exec("INSERT INTO t (id, body) VALUES (?, ?)", 2 ** 40, null);
        expect(rowsOf(storage)).toEqual([...texts.map((body, id) => ({ id, body })), { id: 2 ** 40, body: null }]);
        expect([...storage.sql.exec("SELECT id FROM t ORDER BY id DESC LIMIT 1")]).toEqual([{ id: 2 ** 40 }]);
        expect(storage.sql.exec("SELECT id FROM t WHERE id = ?", 99).toArray()).toEqual([]);
      }));

    it("[E-24] [K-1] a transaction that returns stands whole, and gives what its closure gave", () =>
      withTable((storage) => {
        const value = storage.transactionSync(() => {
          storage.sql.exec("INSERT INTO t (id, body) VALUES (1, 'a')");
          expect(rowsOf(storage), "it sees its own writes").toHaveLength(1);
          storage.sql.exec("UPDATE t SET body = 'b' WHERE id = 1");
          return 7;
        });
        expect(value).toBe(7);
        expect(rowsOf(storage)).toEqual([{ id: 1, body: "b" }]);
      }));

    it("[E-24] [K-1] a transaction that throws leaves nothing, tables included, and passes the error on", () =>
      withTable((storage) => {
        storage.sql.exec("INSERT INTO t (id, body) VALUES (1, 'a')");
        const cause = new Error("no");
        const attempt = () =>
          storage.transactionSync(() => {
            storage.sql.exec("CREATE TABLE u (id INTEGER PRIMARY KEY)");
            storage.sql.exec("UPDATE t SET body = 'b'");
            storage.sql.exec("INSERT INTO t (id, body) VALUES (2, 'c')");
            storage.sql.exec("DELETE FROM t WHERE id = 1");
            throw cause;
          });
        expect(attempt).toThrow(cause);
        expect(rowsOf(storage)).toEqual([{ id: 1, body: "a" }]);
        const tables = storage.sql.exec("SELECT name FROM sqlite_master WHERE name IN ('t', 'u')").toArray();
        expect(tables).toEqual([{ name: "t" }]);
        storage.transactionSync(() => storage.sql.exec("INSERT INTO t (id, body) VALUES (3, 'd')"));
        expect(rowsOf(storage)).toHaveLength(2);
      }));

    it("[E-24] [K-1] a statement that fails throws, and undoes the transaction that does not catch it", () =>
      withTable((storage) => {
        const attempt = () =>
          storage.transactionSync(() => {
            storage.sql.exec("INSERT INTO t (id, body) VALUES (1, 'a')");
            storage.sql.exec("INSERT INTO t (id, body) VALUES (1, 'again')");
          });
        expect(attempt).toThrow(/UNIQUE/);
        expect(rowsOf(storage)).toEqual([]);
      }));

    it("[E-24] [K-12] rows written are counted as the budget counts them", () =>
      withTable((storage) => {
        const { sql } = storage;
        sql.exec("CREATE TABLE w (a INTEGER NOT NULL, b TEXT NOT NULL, v TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID");
        const written = (query: string) => {
          const cursor = sql.exec(query);
          cursor.toArray();
          return cursor.rowsWritten;
        };
        expect({
          insert: written("INSERT INTO t (id, body) VALUES (1, 'a')"),
          update: written("UPDATE t SET body = 'b' WHERE id = 1"),
          "update of nothing": written("UPDATE t SET body = 'b' WHERE id = 2"),
          upsert: written(
            "INSERT INTO t (id, body) VALUES (1, 'c') ON CONFLICT (id) DO UPDATE SET body = excluded.body",
          ),
          "conflict that does nothing": written("INSERT INTO t (id, body) VALUES (1, 'd') ON CONFLICT DO NOTHING"),
          "insert without rowid": written("INSERT INTO w (a, b, v) VALUES (1, 'x', 'y')"),
          "upsert without rowid": written(
            "INSERT INTO w (a, b, v) VALUES (1, 'x', 'z') ON CONFLICT (a, b) DO UPDATE SET v = excluded.v",
          ),
          select: written("SELECT * FROM t"),
          delete: written("DELETE FROM t WHERE id = 1"),
          "delete of nothing": written("DELETE FROM t WHERE id = 1"),
        }).toEqual({
          insert: 1,
          update: 1,
          "update of nothing": 0,
          upsert: 1,
          "conflict that does nothing": 0,
          "insert without rowid": 1,
          "upsert without rowid": 1,
          select: 0,
          delete: 1,
          "delete of nothing": 0,
        });
      }));
  });
}

/** What the kernel relies on in any alarm. Times are far ahead, so that none fires. */
export function describeAlarmContract(name: string, within: Within<AlarmBench>): void {
  const soon = 4_100_000_000_000;
  const late = 4_200_000_000_000;

  describe(`alarm of ${name}`, () => {
    it("[E-24] [K-34] is not armed at first; a set arms, another replaces, a delete disarms", () =>
      within(async ({ alarm, storage, armedFor }) => {
        const seen = [await armedFor()];
        for (const change of [
          () => alarm.set(late),
          () => alarm.set(soon),
          () => alarm.set(late),
          () => alarm.delete(),
          () => alarm.delete(),
        ]) {
          storage.transactionSync(change);
          seen.push(await armedFor());
        }
        expect(seen).toEqual([null, late, soon, late, null, null]);
      }));

    it("[E-24] [K-1] a set or a delete in a transaction that throws did not happen", () =>
      within(async ({ alarm, storage, armedFor }) => {
        const fail = (change: () => void) => () =>
          storage.transactionSync(() => {
            change();
            throw new Error("no");
          });
        expect(fail(() => alarm.set(soon))).toThrow("no");
        expect(await armedFor()).toBeNull();
        storage.transactionSync(() => alarm.set(late));
        expect(fail(() => alarm.set(soon))).toThrow("no");
        expect(await armedFor()).toBe(late);
        expect(fail(() => alarm.delete())).toThrow("no");
        expect(await armedFor()).toBe(late);
      }));

    it("[E-24] the last of several changes in one transaction counts", () =>
      within(async ({ alarm, storage, armedFor }) => {
        storage.transactionSync(() => {
          alarm.set(late);
          alarm.delete();
          alarm.set(soon);
        });
        expect(await armedFor()).toBe(soon);
        storage.transactionSync(() => {
          alarm.set(late);
          alarm.delete();
        });
        expect(await armedFor()).toBeNull();
      }));
  });
}

/** A clock and a way to let its time pass. */
export interface ClockBench {
  readonly clock: ClockPort;
  pass(ms: number): Promise<void>;
}

/** What the kernel relies on in any clock. */
export function describeClockContract(name: string, within: Within<ClockBench>): void {
  const never = () => new AbortController().signal;
  const watch = (wait: Promise<void>) => {
    const state = { isOver: false };
    void wait.then(() => {
      state.isOver = true;
    });
    return state;
  };

  describe(`clock of ${name}`, () => {
    it("[E-24] tells whole milliseconds that never go back", () =>
      within(async ({ clock, pass }) => {
        const before = clock.now();
        await pass(20);
        expect(Number.isSafeInteger(before)).toBe(true);
        expect(clock.now()).toBeGreaterThanOrEqual(before + 20);
      }));

    it("[E-24] a wait is over at its time, not before, and at once when that has passed", () =>
      within(async ({ clock, pass }) => {
        await clock.wait(clock.now(), never());
        await clock.wait(clock.now() - 1_000_000, never());
        const wait = watch(clock.wait(clock.now() + 60, never()));
        await pass(20);
        expect(wait.isOver).toBe(false);
        await pass(60);
        expect(wait.isOver).toBe(true);
      }));

    it("[E-24] a wait for months ahead is not over at once, and an abort ends it", () =>
      within(async ({ clock, pass }) => {
        const controller = new AbortController();
        const wait = watch(clock.wait(clock.now() + 2 ** 33, controller.signal));
        await pass(20);
        expect(wait.isOver).toBe(false);
        controller.abort();
        await pass(1);
        expect(wait.isOver).toBe(true);
        await clock.wait(clock.now() + 2 ** 33, controller.signal);
      }));
  });
}
