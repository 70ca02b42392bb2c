import { env, runInDurableObject } from "cloudflare:test";
import { strict as assert } from "node:assert";
import type { SqlCursor, SqlValue } from "../../src/kernel/index.ts";
import { FakeAlarm } from "./fake-alarm.ts";
import { KernelWorld } from "./kernel-world.ts";
import type { WorldOptions } from "./world-options.ts";
import type { RowCounts, WorldStorage } from "./world-storage.ts";

/** A Durable Object's storage that counts rows as it bills them. */
class ObjectStorage implements WorldStorage {
  readonly counts: RowCounts = { written: 0, read: 0 };
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  readonly sql = {
    exec: <T extends Record<string, SqlValue>>(query: string, ...bindings: unknown[]): SqlCursor<T> => {
      const cursor = this.#storage.sql.exec<T>(query, ...bindings);
      const rows = cursor.toArray();
      const { rowsWritten, rowsRead } = cursor;
      this.counts.written += query.startsWith("CREATE") ? 0 : rowsWritten;
      this.counts.read += rowsRead;
      return { toArray: () => rows, rowsWritten, rowsRead, [Symbol.iterator]: () => rows[Symbol.iterator]() };
    },
  };

  transactionSync<T>(closure: () => T): T {
    return this.#storage.transactionSync(closure);
  }
}

/** The test's alarm, with the object's own kept in step: the platform takes it away while its handler runs. */
class ObjectAlarm extends FakeAlarm {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    super();
    this.#storage = storage;
  }

  override set(atMs: number): void {
    super.set(atMs);
    void this.#storage.setAlarm(atMs);
  }

  override delete(): void {
    super.delete();
    void this.#storage.deleteAlarm();
  }

  override begin(): void {
    super.begin();
    void this.#storage.deleteAlarm();
  }

  override crash(): void {
    super.crash();
    if (this.armedFor !== null) void this.#storage.setAlarm(this.armedFor);
  }
}

/** Runs a body with a world over the storage and alarm of a fresh Durable Object, and compares the two alarms at the end. */
export async function inObjectWorld<T>(
  body: (makeWorld: (options: WorldOptions) => KernelWorld) => Promise<T>,
): Promise<T> {
  return await runInDurableObject(env.SCRATCH.get(env.SCRATCH.newUniqueId()), async (_instance, { storage }) => {
    const alarm = new ObjectAlarm(storage);
    const value = await body((options) => new KernelWorld(new ObjectStorage(storage), options, alarm));
    assert.equal(await storage.getAlarm(), alarm.armedFor, "the object's alarm is armed as the kernel believes");
    return value;
  });
}
