import { describe, expect, it } from "vitest";
import type { DeliveryOutcome, OutboxRow } from "../../src/kernel/index.ts";
import { OUTBOX_MAX_AGE_MS } from "../../src/kernel/limits.ts";
import type { HostTx } from "../../src/kernel/registry/host-tx.ts";
import { KernelWorld, settle } from "../kit/kernel-world.ts";
import { NodeStorage } from "../kit/node-storage.ts";
import { countRows, NOTES, send } from "./make.ts";
import { started } from "./started.ts";

type Draft = Parameters<HostTx["send"]>[0];

function put(world: KernelWorld, ...rows: readonly (Partial<Draft> & { key: string })[]): void {
  world.kernel.commit((tx) => {
    for (const row of rows) tx.send({ target: "t", payload: row.key, ...row });
  });
}

/** A receiver that a test opens delivery by delivery. */
function slowReceiver() {
  const waiting: { row: OutboxRow; answer: (outcome: DeliveryOutcome) => void }[] = [];
  const deliver = (row: OutboxRow) =>
    new Promise<DeliveryOutcome>((resolve) => {
      waiting.push({ row, answer: resolve });
    });
  const next = async (outcome: DeliveryOutcome = { status: "sent" }): Promise<OutboxRow | undefined> => {
    await settle();
    const first = waiting.shift();
    first?.answer(outcome);
    await settle();
    return first?.row;
  };
  return { deliver, next, waiting };
}

const seen = (world: KernelWorld) => world.delivered.map((row) => `${row.key}=${row.payload}`);

describe("delivery", () => {
  it("[K-36] a row is delivered after its commit, once acknowledged it is gone", async () => {
    const counts: number[] = [];
    const world = started({
      deliver: async () => {
        counts.push(world.kernel.get(NOTES).count, countRows(world, "outbox"));
        await Promise.resolve();
        return { status: "sent" };
      },
    });
    world.kernel.commit((tx) => {
      tx.send({ key: "k", target: "chat", payload: { a: [1] } });
      tx.set(NOTES, { count: 5 });
    });
    await world.run();
    expect(counts).toEqual([5, 1]);
    expect(world.delivered).toEqual([
      { key: "k", target: "chat", payload: '{"a":[1]}', attempts: 0, createdAt: world.clock.now() },
    ]);
    expect(countRows(world, "outbox")).toBe(0);
    expect(world.control.outbox).toEqual([]);
    expect(world.alarm.armedFor).toBeNull();
  });

  it("[K-36] a row of a commit that failed is never delivered", async () => {
    const world = started();
    expect(() =>
      world.kernel.commit((tx) => {
        tx.send({ key: "k", target: "t", payload: 1 });
        throw new Error("no");
      }),
    ).toThrow("no");
    world.kernel.resume();
    await world.run();
    expect(world.delivered).toEqual([]);
  });

  it("[K-36] a death before the acknowledgement was stored delivers again under the same key", async () => {
    const { deliver, next, waiting } = slowReceiver();
    const world = started({ deliver });
    put(world, { key: "k" });
    await world.run(() => waiting.length === 1);
    world.crash();
    await world.run(() => waiting.length === 2);
    await next();
    await next();
    await world.run();
    expect(seen(world)).toEqual(['k="k"', 'k="k"']);
    expect(countRows(world, "outbox")).toBe(0);
  });

  it("[K-36] many rows go out in order, four at a time", async () => {
    const { deliver, next, waiting } = slowReceiver();
    const world = started({ deliver });
    put(world, ...Array.from({ length: 10 }, (_, n) => ({ key: `k${n}` })));
    await settle();
    expect(waiting).toHaveLength(4);
    for (let n = 0; n < 10; n++) expect((await next())?.key).toBe(`k${n}`);
    await world.run();
    expect(countRows(world, "outbox")).toBe(0);
  });

  it("[K-36] the outbox holds 200 rows; one more is refused and nothing of it is stored", () => {
    const world = started({ deliver: () => new Promise(() => undefined) });
    put(world, ...Array.from({ length: 200 }, (_, n) => ({ key: `k${n}` })));
    expect(() => put(world, { key: "one more" })).toThrow(/outbox holds 200 undelivered rows: one more was not added/);
    expect(countRows(world, "outbox")).toBe(200);
    put(world, { key: "k7", payload: "newer" });
    expect(countRows(world, "outbox"), "replacing is no addition").toBe(200);
  });
});

describe("failing deliveries", () => {
  it.each([
    ["answers retry", () => Promise.resolve({ status: "retry", error: "busy" } as const)],
    ["throws", () => Promise.reject(new Error("no route"))],
  ])("[K-37] are repeated with growing pauses when the receiver %s", async (_name, fail) => {
    const times: number[] = [];
    const world = started({
      deliver: (row) => {
        times.push(world.clock.now());
        return row.attempts < 10 ? fail() : Promise.resolve({ status: "sent" });
      },
    });
    put(world, { key: "k" });
    await world.run();
    const pauses = times.slice(1).map((at, i) => (at - (times[i] ?? 0)) / 1_000);
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
    expect(world.delivered.map((row) => row.attempts)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(countRows(world, "outbox")).toBe(0);
  });

  it("[K-37] wait as long as the receiver asks", async () => {
    const world = started({
      deliver: (row) =>
        Promise.resolve(row.attempts === 0 ? { status: "retry", error: "busy", afterMs: 90_000 } : { status: "sent" }),
    });
    put(world, { key: "k" });
    await world.run(() => false, world.clock.now());
    expect(world.alarm.armedFor).toBe(world.clock.now() + 90_000);
    await world.run();
    expect(world.delivered).toHaveLength(2);
  });

  it("[K-37] a row that can never be delivered is reported and dropped at once", async () => {
    const world = started({ deliver: () => Promise.resolve({ status: "drop", error: "gone" }) });
    put(world, { key: "k" });
    await world.run();
    expect(world.delivered).toHaveLength(1);
    expect(countRows(world, "outbox")).toBe(0);
    expect(world.reports).toEqual([
      { event: "outbox.dropped", facts: { key: "k", target: "t", attempts: 0, error: "gone" } },
    ]);
  });

  it("[K-37] after its age limit a row is reported and dropped", async () => {
    const world = started({ deliver: () => Promise.resolve({ status: "retry", error: "busy" }) });
    const createdAt = world.clock.now();
    put(world, { key: "k" });
    await world.run();
    const last = world.clock.now() - createdAt;
    expect(last).toBeGreaterThan(OUTBOX_MAX_AGE_MS);
    expect(last).toBeLessThanOrEqual(OUTBOX_MAX_AGE_MS + 300_000);
    expect(world.reports.map((report) => report.event)).toEqual(["outbox.dropped"]);
    expect(countRows(world, "outbox")).toBe(0);
    expect(world.alarm.armedFor).toBeNull();
  });

  it.each([
    ["exactly at its age limit a row is still delivered", OUTBOX_MAX_AGE_MS, 1],
    ["past its age limit a row is not delivered any more, however it came to wait", OUTBOX_MAX_AGE_MS + 1, 0],
  ])("[K-37] %s", async (_name, age, deliveries) => {
    const world = started();
    world.kernel.commit((tx) => tx.send({ key: "k", target: "t", payload: 1 }));
    world.crash();
    world.delivered.length = 0;
    world.clock.advanceTo(world.clock.now() + age);
    await world.run();
    expect(world.delivered).toHaveLength(deliveries);
    const dropped = world.reports.filter((report) => report.event === "outbox.dropped");
    expect(dropped).toHaveLength(1 - deliveries);
    expect(countRows(world, "outbox")).toBe(0);
  });

  it("[K-44] a delivery whose end cannot be stored is not repeated in a circle", async () => {
    const storage = new NodeStorage();
    const world = new KernelWorld(storage, {
      deliver: async () => {
        await Promise.resolve();
        const { transactionSync } = storage;
        storage.transactionSync = (closure) => {
          transactionSync.call(storage, closure);
          throw new Error("disk full");
        };
        return { status: "sent" };
      },
    });
    world.start();
    put(world, { key: "k" });
    await settle();
    expect(world.delivered).toHaveLength(1);
    expect(world.kernel.isLost).toBe(true);
  });
});

describe("rows under one key", () => {
  it("[K-38] a newer row replaces the older one that waits", async () => {
    const world = started();
    put(world, { key: "k", payload: 1 }, { key: "l", payload: 2 }, { key: "k", payload: 3 });
    await world.run();
    expect(seen(world)).toEqual(["l=2", "k=3"]);
  });

  it("[K-38] a newer row is delivered in its own right when the older is under way and succeeds", async () => {
    const { deliver, next } = slowReceiver();
    const world = started({ deliver });
    put(world, { key: "k", payload: 1 });
    await settle();
    put(world, { key: "k", payload: 2 });
    expect(await next()).toMatchObject({ payload: "1" });
    expect(countRows(world, "outbox")).toBe(1);
    expect(await next()).toMatchObject({ payload: "2" });
    await world.run();
    expect(seen(world)).toEqual(["k=1", "k=2"]);
    expect(countRows(world, "outbox")).toBe(0);
  });

  it.each([{ status: "retry", error: "busy" } as const, { status: "drop", error: "gone" } as const])(
    "[K-38] a newer row is delivered at once when the older is under way and ends with $status",
    async (outcome) => {
      const { deliver, next } = slowReceiver();
      const world = started({ deliver });
      put(world, { key: "k", payload: 1 });
      await settle();
      put(world, { key: "k", payload: 2 });
      await next(outcome);
      expect(await next()).toMatchObject({ payload: "2", attempts: 0 });
      await world.run();
      expect(seen(world)).toEqual(["k=1", "k=2"]);
      expect(countRows(world, "outbox")).toBe(0);
      expect(world.reports).toEqual([]);
    },
  );

  it("[K-38] a row that waits for more of its kind goes out once, counted from the first", async () => {
    const world = started();
    const startedAt = world.clock.now();
    put(world, { key: "k", payload: 1, afterMs: 5_000 });
    await world.pass(3_000);
    put(world, { key: "k", payload: 2, afterMs: 5_000 });
    await world.run();
    expect(seen(world)).toEqual(["k=2"]);
    expect(world.clock.now()).toBe(startedAt + 5_000);
  });

  it("[K-38] [K-4] the same row again, while the first still waits, writes nothing", async () => {
    const world = started();
    put(world, { key: "k", payload: 1, afterMs: 5_000 });
    const { written } = world.storage.counts;
    put(world, { key: "k", payload: 1, afterMs: 5_000 });
    expect(world.storage.counts.written).toBe(written);
    put(world, { key: "k", payload: 1, afterMs: 5_000, target: "elsewhere" });
    expect(world.storage.counts.written).toBeGreaterThan(written);
    await world.run();
    expect(world.delivered.map((row) => row.target)).toEqual(["elsewhere"]);
  });

  it("[K-36] messages are answered while a delivery hangs", async () => {
    const world = started({ deliver: () => new Promise(() => undefined) });
    put(world, { key: "k" });
    send(world, "hi");
    await world.run(() => world.control.turn === null && world.model.requests.length === 1);
    expect(world.control.outbox).toHaveLength(1);
  });
});
