import { describe, expect, it } from "vitest";
import type { TaskRun } from "../../src/kernel/index.ts";
import { MAX_RESULT_BYTES } from "../../src/kernel/limits.ts";
import type { TaskDefinition } from "../../src/kernel/registry/task-definition.ts";
import { untilAborted } from "../kit/scripted-model.ts";
import { tasksOf, until } from "./guarded.ts";
import { containing, NOTES, send } from "./make.ts";
import { begin, type Flow, flow, withKinds } from "./make-plugin.ts";

const parked = { kind: "park", deadline: null, checkpoint: { phase: "second", n: 0 } } as const;
const outcomes = (world: ReturnType<typeof withKinds>, ids: readonly number[]) =>
  ids.map((id) => world.kernel.receipt(id)?.outcome);

/** Three tasks, one owning the next, each parked; what they do when stopped goes into `log`. Ids 1, 2, 3. */
function chain(log: number[], abort: (run: TaskRun<null, Flow>) => Promise<void> = () => Promise.resolve()) {
  const link: TaskDefinition<null, Flow> = {
    ...flow({
      first:
        ({ id }) =>
        (tx) => {
          if (id < 3) tx.createOwned(link, null);
          return parked;
        },
      second: () => ({ kind: "complete", result: "woken" }),
    }),
    abort: async (run) => {
      log.push(run.id);
      await abort(run);
    },
  };
  return link;
}

describe("a stop", () => {
  it("[K-56] [D-3] [I-123] reaches what a task owns over three levels, and handlers run from the leaves up", async () => {
    const log: number[] = [];
    const link = chain(log, async (run) => {
      await world.clock.wait(world.clock.now() + 1_000, run.signal);
    });
    const world = withKinds([link]);
    begin(world, link);
    await world.run();
    expect(tasksOf(world).map(({ id, status }) => [id, status])).toEqual([1, 2, 3].map((id) => [id, "parked"]));
    expect(world.kernel.commit((tx) => [tx.abort(1), tx.abort(1), tx.abort(2)])).toEqual([true, false, false]);
    await world.run();
    expect(log).toEqual([3, 2, 1]);
    expect(outcomes(world, [1, 2, 3])).toEqual(["aborted", "aborted", "aborted"]);
  });

  it("[K-56] [I-117] [I-118] [R-27] [R-28] survives a death: abort handlers run, again where they had begun, never a phase", async () => {
    const log: number[] = [];
    let isDeaf = true;
    const link = chain(log, async () => {
      if (isDeaf) await new Promise(() => undefined);
    });
    const world = withKinds([link]);
    begin(world, link);
    await world.run();
    world.kernel.commit((tx) => tx.abort(1));
    await until(world, () => log.length === 1);
    world.crash();
    isDeaf = false;
    world.start().resume();
    await world.run();
    expect(log).toEqual([3, 3, 2, 1]);
    expect(outcomes(world, [1, 2, 3])).toEqual(["aborted", "aborted", "aborted"]);
  });

  it("[K-56] of one that is owned leaves its owner alone", async () => {
    const log: number[] = [];
    const link = chain(log);
    const world = withKinds([link]);
    begin(world, link);
    await world.run();
    world.kernel.commit((tx) => tx.abort(3));
    await world.run();
    expect([log, tasksOf(world).map(({ id }) => id)]).toEqual([[3], [1, 2]]);
    expect(
      world.kernel.commit((tx) => tx.abort(3)),
      "it is finished",
    ).toBe(false);
  });

  it("[K-56] [I-119] [C-26] of a turn leaves background tasks alone", async () => {
    const kind = flow({ first: () => parked });
    const world = withKinds([kind], { script: () => ({ text: "Hm.", between: untilAborted }) });
    const task = begin(world, kind);
    send(world, "go");
    await until(world, () => world.model.requests.length === 1);
    world.kernel.stop();
    await world.run();
    expect(world.control.turn).toBeNull();
    expect(tasksOf(world)).toMatchObject([{ id: task, status: "parked" }]);
    world.kernel.commit((tx) => tx.abort(task));
    await world.run();
    expect(outcomes(world, [task])).toEqual(["aborted"]);
  });

  it("[K-74] waits five seconds for a handler that does not listen, and what that says afterwards counts for nothing", async () => {
    const gate = Promise.withResolvers<void>();
    const kind = flow({
      async first() {
        await gate.promise;
        return (tx) => {
          tx.set(NOTES, { count: 1 });
          return { kind: "complete", result: "late" };
        };
      },
    });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    await until(world, () => false);
    const from = world.clock.now();
    world.kernel.commit((tx) => tx.abort(task));
    await world.run(() => world.kernel.receipt(task) !== undefined);
    expect(world.clock.now() - from).toBe(5_000);
    gate.resolve();
    await world.run();
    expect(world.kernel.receipt(task)).toEqual({ task, kind: "test.flow", outcome: "aborted" });
    expect(world.kernel.get(NOTES).count).toBe(0);
  });

  it("[K-56] whose handler throws faults the task, and its owner's runs all the same", async () => {
    const log: number[] = [];
    const link = chain(log, ({ id }) => (id === 3 ? Promise.reject(new Error("no cleanup")) : Promise.resolve()));
    const world = withKinds([link]);
    begin(world, link);
    await world.run();
    world.kernel.commit((tx) => tx.abort(1));
    await world.run();
    expect(log).toEqual([3, 2, 1]);
    expect(outcomes(world, [1, 2, 3])).toEqual(["aborted", "aborted", "faulted"]);
  });

  it("[K-56] [K-26] [D-4] of a task whose code is missing settles it", async () => {
    const kind = flow({ first: () => parked });
    const world = withKinds([]);
    const undo = world.registry.registerTaskKind(kind);
    const task = begin(world, kind);
    await world.run();
    undo();
    world.kernel.commit((tx) => tx.abort(task));
    await world.run();
    expect(outcomes(world, [task])).toEqual(["aborted"]);
  });
});

describe("the end of an owner", () => {
  it.each(["complete", "fail", "throw"] as const)(
    "[K-57] by %s takes with it what it owns and is still at work, not what it began in the background",
    async (how) => {
      const log: string[] = [];
      const child = {
        ...flow({ first: () => parked }, "test.child"),
        abort: () => Promise.resolve(void log.push("child")),
      };
      const kind = flow({
        first: () => (tx) => {
          tx.createOwned(child, null);
          tx.createTask(child, null);
          return { kind: "next", checkpoint: { phase: "second", n: 0 } };
        },
        async second({ now, signal }) {
          await world.clock.wait(now() + 1_000, signal);
          if (how === "throw") throw new Error("broken");
          return how === "fail" ? { kind: "fail", error: "no" } : { kind: "complete", result: null };
        },
      });
      const world = withKinds([kind, child]);
      const task = begin(world, kind);
      await world.run();
      expect(outcomes(world, [task, task + 1])).toEqual([
        { complete: "completed", fail: "failed", throw: "faulted" }[how],
        "aborted",
      ]);
      expect(tasksOf(world)).toMatchObject([{ id: task + 2, status: "parked" }]);
      expect(log).toEqual(["child"]);
    },
  );
});

describe("results", () => {
  const bytesOf = (n: number) => "x".repeat(n - 2);

  it("[K-58] of 64 KB are kept in the receipt; one byte more faults the task", async () => {
    const kind = (bytes: number) => flow({ first: () => ({ kind: "complete", result: bytesOf(bytes) }) });
    const [fits, large] = [kind(MAX_RESULT_BYTES), { ...kind(MAX_RESULT_BYTES + 1), kind: "test.large" }];
    const world = withKinds([fits, large]);
    const [one, two] = [begin(world, fits), begin(world, large)];
    await world.run();
    expect(world.kernel.receipt(one)?.result).toBe(bytesOf(MAX_RESULT_BYTES));
    const error = `The result of task ${two} has ${MAX_RESULT_BYTES + 1} bytes, the limit is ${MAX_RESULT_BYTES}`;
    expect(world.kernel.receipt(two)).toMatchObject({ outcome: "faulted", result: { error: containing(error) } });
  });

  it("[K-58] [B-10] [I-120] whoever waits is told once, also when the task was finished before, and after a reopen", async () => {
    const kind = flow({
      async first({ now, signal }) {
        await world.clock.wait(now() + 1_000, signal);
        return { kind: "complete", result: 5 };
      },
    });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    const never = new AbortController().signal;
    const told: unknown[] = [];
    const waiting = Promise.all([1, 2].map(async () => told.push(await world.kernel.waitForTask(task, never))));
    await world.run();
    await waiting;
    const receipt = { task, kind: "test.flow", outcome: "completed", result: 5 };
    expect(told).toEqual([receipt, receipt]);
    expect(await world.kernel.waitForTask(task, never)).toEqual(receipt);
    world.crash();
    expect(await world.start().waitForTask(task, never)).toEqual(receipt);
  });

  it("[K-58] [I-120] ending a wait ends nothing else, and a task that there never was is named", async () => {
    const kind = flow({ first: () => parked });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    const patience = new AbortController();
    const wait = world.kernel.waitForTask(task, patience.signal);
    patience.abort();
    await expect(wait).rejects.toThrow("the wait was ended");
    await expect(world.kernel.waitForTask(task, patience.signal), "ended before it began").rejects.toThrow("ended");
    await expect(world.kernel.waitForTask(99, new AbortController().signal)).rejects.toThrow("There is no task 99");
    await world.run();
    expect(tasksOf(world)).toMatchObject([{ id: task, status: "parked" }]);
  });
});
