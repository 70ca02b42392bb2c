import { describe, expect, it } from "vitest";
import type { Tx } from "../../src/kernel/commit/tx.ts";
import { KernelError } from "../../src/kernel/index.ts";
import type { HostTx } from "../../src/kernel/registry/host-tx.ts";
import type { Json } from "../../src/lib/json.ts";
import { KernelWorld } from "../kit/kernel-world.ts";
import { NodeStorage } from "../kit/node-storage.ts";
import { ANNA, dump, lines, NOTES, send, submission } from "./make.ts";
import { inTask, TEST_KIND } from "./make-task.ts";
import { started } from "./started.ts";

/** Code and text of a refusal. */
function refusal(work: () => unknown): { code: string; message: string } {
  try {
    work();
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    return { code: error.code, message: error.message };
  }
  return { code: "none", message: "" };
}

/** Everything that a commit could have changed. */
function stateOf(world: KernelWorld) {
  const { sets, deletes, armedFor } = world.alarm;
  return {
    rows: dump(world),
    snapshot: world.kernel.snapshot(),
    frames: world.commits.length,
    sets,
    deletes,
    armedFor,
  };
}

const sendRow = { key: "k", target: "t", payload: 1 };

describe("all or nothing", () => {
  it("[K-1] [I-4] a builder that throws leaves everything as it was, and the kernel works on", async () => {
    const world = started();
    send(world, "hi");
    await world.run();
    const before = stateOf(world);
    const cause = new Error("no");
    const attempt = () =>
      world.kernel.commit((tx) => {
        tx.set(NOTES, { count: 1 });
        tx.send(sendRow);
        tx.emit(NOTES, "changed", {});
        throw cause;
      });
    expect(attempt).toThrow(cause);
    expect(stateOf(world)).toEqual(before);
    world.kernel.commit((tx) => tx.set(NOTES, { count: 2 }));
    expect(world.kernel.get(NOTES).count).toBe(2);
    expect(world.kernel.snapshot().rev).toBe(before.snapshot.rev + 1);
    world.verify();
  });

  it("[K-1] [I-1] entry, task, memo, slot and receipt of a builder that throws later are gone", async () => {
    expect.assertions(2);
    await inTask((run, world) => {
      const before = dump(world);
      const attempt = () =>
        run.commit((tx) => {
          tx.append({ kind: "test.entry", data: 1 });
          tx.createTask({ kind: TEST_KIND, input: null, checkpoint: { phase: "start" } });
          tx.memoOnce(run.id, "a", "m", 1);
          tx.slot(run.id, "s");
          tx.finish(run.id, "completed");
          throw new Error("no");
        });
      expect(attempt).toThrow("no");
      expect(dump(world)).toBe(before);
    });
  });

  it("[K-2] [E-1] [I-3] a builder that returns a promise is refused, and nothing is written", async () => {
    const world = started();
    const before = stateOf(world);
    let late: unknown;
    const attempt = () =>
      world.kernel.commit(async (tx) => {
        tx.set(NOTES, { count: 1 });
        await Promise.resolve();
        try {
          tx.set(NOTES, { count: 2 });
        } catch (error) {
          late = error;
        }
      });
    expect(refusal(attempt).code).toBe("async_commit");
    await world.run();
    expect(stateOf(world)).toEqual(before);
    expect(late).toMatchObject({ code: "dead_transaction" });
  });

  it("[K-3] [E-2] [I-2] [I-9] a commit inside a commit is refused, and nothing of either is written", () => {
    const world = started();
    const before = stateOf(world);
    const attempt = () =>
      world.kernel.commit((tx) => {
        tx.set(NOTES, { count: 1 });
        world.kernel.commit((inner) => inner.set(NOTES, { count: 2 }));
      });
    expect(refusal(attempt).code).toBe("nested_commit");
    expect(stateOf(world)).toEqual(before);
  });

  it("[K-3] nothing of either is written when the builder hides the refusal", () => {
    const world = started();
    const before = stateOf(world);
    const attempt = () =>
      world.kernel.commit((tx) => {
        tx.set(NOTES, { count: 1 });
        expect(refusal(() => send(world, "hi")).code).toBe("nested_commit");
      });
    expect(refusal(attempt).code).toBe("nested_commit");
    expect(stateOf(world)).toEqual(before);
    world.kernel.commit((tx) => tx.set(NOTES, { count: 3 }));
    expect(world.kernel.get(NOTES).count).toBe(3);
  });

  it("[K-4] [I-12] a commit that changes nothing writes no row, takes no revision, publishes nothing", async () => {
    const world = started();
    send(world, "hi");
    await world.run();
    world.kernel.commit((tx) => tx.set(NOTES, { count: 1 }));
    const before = stateOf(world);
    const written = world.storage.counts.written;
    expect(world.kernel.commit(() => 7)).toBe(7);
    world.kernel.commit((tx) => tx.set(NOTES, { count: 1 }));
    world.kernel.commit((tx) => tx.set(NOTES, {}));
    expect(world.kernel.commit((tx) => tx.wake(4))).toBe(false);
    expect(world.storage.counts.written).toBe(written);
    expect(stateOf(world)).toEqual(before);
  });
});

describe("transaction objects and values", () => {
  const hostUses: readonly ((tx: HostTx) => unknown)[] = [
    (tx) => tx.get(NOTES),
    (tx) => tx.set(NOTES, { count: 9 }),
    (tx) => tx.wake(1),
    (tx) => tx.send(sendRow),
    (tx) => tx.emit(NOTES, "x", {}),
  ];

  it("[K-5] every use of a host's transaction throws once its builder returned or threw", () => {
    const world = started();
    const returned = world.kernel.commit((tx) => tx);
    let thrown: HostTx | undefined;
    const attempt = () =>
      world.kernel.commit((tx) => {
        thrown = tx;
        throw new Error("no");
      });
    expect(attempt).toThrow("no");
    const before = stateOf(world);
    for (const tx of [returned, thrown]) {
      for (const use of hostUses) expect(refusal(() => tx && use(tx)).code, String(use)).toBe("dead_transaction");
    }
    expect(stateOf(world)).toEqual(before);
  });

  it("[K-5] every use of a task's transaction throws once its builder returned", async () => {
    const uses: readonly ((tx: Tx, id: number) => unknown)[] = [
      (tx) => tx.mintId(),
      (tx) => tx.append({ kind: "test.entry" }),
      (tx) => tx.createTask({ kind: TEST_KIND, input: null, checkpoint: { phase: "start" } }),
      (tx, id) => tx.checkpoint(id, { phase: "other" }),
      (tx, id) => tx.setStatus(id, { status: "pending" }),
      (tx, id) => tx.markAborting(id),
      (tx, id) => tx.task(id),
      (tx, id) => tx.finish(id, "completed"),
      (tx, id) => tx.slot(id, 1),
      (tx, id) => tx.memoOnce(id, "a", "m", 1),
      (tx) => tx.entry(1),
      (tx) => tx.input("k"),
      (tx) =>
        tx.putInput({
          key: "k",
          fingerprint: "",
          actor: ANNA,
          meta: null,
          at: 0,
          state: { status: "queued", content: [] },
        }),
      (tx) => tx.get(NOTES),
      (tx) => tx.set(NOTES, { count: 9 }),
      (tx, id) => tx.wake(id),
      (tx) => tx.send(sendRow),
      (tx) => tx.unsend("k"),
      (tx) => tx.emit({ type: "x" }),
    ];
    expect.assertions(uses.length + 1);
    await inTask((run, world) => {
      const leaked = run.commit((tx) => tx);
      const before = dump(world);
      for (const use of uses) expect(refusal(() => use(leaked, run.id)).code, String(use)).toBe("dead_transaction");
      expect(dump(world)).toBe(before);
    });
  });

  it("[K-6] [I-21] values are copied on their way in and out", () => {
    const world = started();
    const items = ["a"];
    const payload = { deep: [1] };
    world.kernel.commit((tx) => {
      tx.set(NOTES, { items });
      tx.send({ key: "k", target: "t", payload });
      items.push("b");
      payload.deep.push(2);
      (tx.get(NOTES).items as string[]).push("c");
    });
    items.push("d");
    (world.kernel.get(NOTES).items as string[]).push("e");
    const meta = { identity: "web:1" };
    send(world, "hi", { meta });
    meta.identity = "web:2";
    expect(world.kernel.control.turn?.meta).toEqual({ identity: "web:1" });
    expect(world.kernel.get(NOTES).items).toEqual(["a"]);
    expect(world.storage.sql.exec("SELECT payload FROM outbox").toArray()).toEqual([{ payload: '{"deep":[1]}' }]);
    world.crash();
    expect(world.start().get(NOTES).items).toEqual(["a"]);
  });

  it("[K-6] an entry, a checkpoint, a memo and what was read of them are copies", async () => {
    expect.assertions(5);
    const world = await inTask((run) => {
      const list: number[] = [1];
      const data = { list };
      const id = run.commit((tx) => {
        tx.checkpoint(run.id, { phase: "start", list });
        tx.slot(run.id, list);
        tx.memoOnce(run.id, "a", "m", list);
        const entry = tx.append({ kind: "test.entry", data });
        list.push(2);
        return entry;
      });
      list.push(3);
      expect(run.task().checkpoint).toEqual({ phase: "start", list: [1] });
      run.commit((tx) => {
        expect(tx.entry(id)?.data).toEqual({ list: [1] });
        (tx.memoOnce(run.id, "a", "m", null) as number[]).push(4);
        expect(tx.memoOnce(run.id, "a", "m", null)).toEqual([1]);
      });
    });
    expect(world.kernel.snapshot().view.entries.map((entry) => entry.data)).toEqual([{ list: [1] }]);
    world.crash();
    expect(
      world
        .start()
        .snapshot()
        .view.entries.map((entry) => entry.data),
    ).toEqual([{ list: [1] }]);
  });

  const cycle: { inner: unknown[] } = { inner: [] };
  cycle.inner.push(cycle);
  const faults: readonly (readonly [string, unknown, string])[] = [
    ["undefined", { a: undefined }, ".a"],
    ["NaN", { a: [1, Number.NaN] }, ".a[1]"],
    ["infinity", { a: Number.POSITIVE_INFINITY }, ".a"],
    ["a date", { a: { b: new Date(0) } }, ".a.b"],
    ["a class instance", { a: new Map() }, ".a"],
    ["a function", { a: () => 1 }, ".a"],
    ["a bigint", { a: 1n }, ".a"],
    ["a cycle", cycle, ".inner[0]"],
  ];

  it.each(faults)("[K-7] [B-17] [I-22] %s is refused, naming the path", (_name, value, path) => {
    const world = started();
    const before = stateOf(world);
    const bad = value as Json;
    for (const attempt of [
      () => world.kernel.commit((tx) => tx.set(NOTES, { last: bad as string })),
      () => world.kernel.commit((tx) => tx.send({ key: "k", target: "t", payload: bad })),
      () => world.kernel.commit((tx) => tx.emit(NOTES, "x", bad as { [key: string]: Json })),
      () => send(world, "hi", { meta: bad }),
    ]) {
      const { code, message } = refusal(attempt);
      expect(code, String(attempt)).toBe("not_json");
      expect(message, String(attempt)).toContain(path);
    }
    expect(stateOf(world)).toEqual(before);
  });

  it.each(faults)("[K-7] a task stores no %s", async (_name, value) => {
    expect.assertions(4);
    const bad = value as { phase: string };
    await inTask((run) => {
      for (const attempt of [
        () => run.commit((tx) => tx.append({ kind: "test.entry", data: bad })),
        () => run.commit((tx) => tx.checkpoint(run.id, bad)),
        () => run.commit((tx) => tx.slot(run.id, bad)),
        () => run.commit((tx) => tx.memoOnce(run.id, "a", "m", bad)),
      ]) {
        expect(refusal(attempt).code, String(attempt)).toBe("not_json");
      }
    });
  });
});

describe("envelopes", () => {
  it("[K-8] [A-31] [I-25] [I-102] [I-103] each visible commit gives one envelope, and revisions go on after a reopen", async () => {
    const world = started();
    send(world, "hi");
    await world.run();
    world.kernel.commit((tx) => tx.set(NOTES, { count: 1 }));
    world.kernel.commit((tx) => tx.set(NOTES, { last: "not shown" }));
    world.kernel.commit((tx) => tx.emit(NOTES, "happened", { n: 1 }));
    world.crash();
    world.start();
    send(world, "again");
    await world.run();
    const revs = world.commits.map((frame) => frame.rev);
    expect(revs).toEqual(revs.map((_, i) => i + 1));
    expect(world.kernel.snapshot().rev).toBe(revs.length);
    expect(world.commits.flatMap((frame) => frame.events.map((event) => event.type))).toContain(
      "plugin.notes.happened",
    );
  });

  it("[K-8] answer, cleared live state, usage and the end of the turn are one envelope", async () => {
    const world = started();
    send(world, "hi");
    await world.run();
    const last = world.commits.at(-1);
    expect(last?.events).toEqual([{ type: "turn.ended", outcome: "answered" }]);
    expect(last?.ops.map((op) => op[1])).toEqual(expect.arrayContaining([["entries"], ["turn"], ["usage", "output"]]));
  });

  it("[K-9] [E-8] [I-104] [I-105] a client that only folds operations shows what a fresh snapshot shows", async () => {
    const world = started();
    send(world, "hi");
    await world.run();
    world.kernel.commit((tx) => tx.set(NOTES, { count: 4 }));
    expect(world.client.view).toEqual(world.kernel.snapshot().view);
    world.verify();
  });

  it("[K-10] [B-12] [I-10] [I-108] a publisher that throws leaves the commit standing", async () => {
    const world = started({
      onFrame: () => {
        throw new Error("the socket is gone");
      },
    });
    expect(send(world, "hi").ok).toBe(true);
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
    expect(world.reports.map((report) => report.event)).toEqual(world.commits.map(() => "publish.failed"));
    expect(world.kernel.input(`${ANNA}:hi`)?.state.status).toBe("done");
  });
});

/** Storage whose next commit fails after the statements ran: whether they stand, nobody knows. */
class FailingStorage extends NodeStorage {
  isFailing = false;

  override transactionSync<T>(closure: () => T): T {
    const value = super.transactionSync(closure);
    if (this.isFailing) throw new Error("disk full");
    return value;
  }
}

describe("storage failures", () => {
  function broken(script?: ConstructorParameters<typeof KernelWorld>[1]) {
    const storage = new FailingStorage();
    const world = new KernelWorld(storage, { register: (registry) => void registry.namespace(NOTES), ...script });
    world.start();
    return { storage, world };
  }

  it("[K-11] [E-5] [R-35] [I-6] [I-11] poison the kernel until it is reopened, and the reopened state is whole", async () => {
    const { storage, world } = broken();
    storage.isFailing = true;
    expect(refusal(() => send(world, "hi")).code).toBe("storage_failed");
    storage.isFailing = false;
    for (const attempt of [
      () => send(world, "again"),
      () => world.kernel.withdraw("k"),
      () => world.kernel.stop(),
      () => world.kernel.resumeQueue(),
      () => world.kernel.commit(() => undefined),
    ]) {
      expect(refusal(attempt).code, String(attempt)).toBe("storage_failed");
    }
    await world.kernel.rest();
    expect(world.model.requests, "nothing was sent").toEqual([]);
    world.crash();
    world.start();
    expect(world.kernel.submit(submission("hi"))).toMatchObject({ ok: true, value: { status: "placed" } });
    world.kernel.resume();
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
  });

  it("[K-11] [I-7] a statement that fails inside a builder is the builder's: nothing is written, the kernel works on", () => {
    const { storage, world } = broken();
    const { exec } = storage.sql;
    const before = dump(world);
    storage.sql.exec = (query, ...bindings) => {
      if (query.startsWith("INSERT INTO outbox")) throw new Error("row too large");
      return exec(query, ...bindings);
    };
    expect(() => world.kernel.commit((tx) => tx.send(sendRow))).toThrow("row too large");
    expect(dump(world)).toBe(before);
    world.kernel.commit((tx) => tx.set(NOTES, { count: 1 }));
    expect(world.kernel.get(NOTES).count).toBe(1);
  });
});
