import { describe, expect, it } from "vitest";
import { defineNamespace, type TaskRun } from "../../src/kernel/index.ts";
import { MAX_REASON_UNITS, MAX_RESULT_BYTES } from "../../src/kernel/limits.ts";
import type { Step, StepOrBuilder, TaskDefinition } from "../../src/kernel/registry/task-definition.ts";
import type { Json } from "../../src/lib/json.ts";
import { untilAborted } from "../kit/scripted-model.ts";
import { tasksOf, until } from "./guarded.ts";
import { containing, dump, entriesOf, lines, matching, NOTES } from "./make.ts";
import { begin, CARD, type Flow, flow, withKinds } from "./make-plugin.ts";

const complete = (result: Json = null): Step<Flow> => ({ kind: "complete", result });
const next = (phase: Flow["phase"], n = 0): Step<Flow> => ({ kind: "next", checkpoint: { phase, n } });

describe("steps", () => {
  it("[K-52] [I-56] [I-60] each phase brings its task one step further, in one commit with what that step writes", async () => {
    const kind = flow({
      first: () => (tx) => {
        tx.set(NOTES, { count: 1 });
        tx.write(CARD, { text: "first" });
        tx.emit(NOTES, "moved", {});
        return next("second", 1);
      },
      second: ({ checkpoint }) => complete(checkpoint.n),
    });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    await world.run();
    const frame = world.commits.find(({ events }) => events.some(({ type }) => type === "plugin.notes.moved"));
    const changed = frame?.ops.map(([, path]) => JSON.stringify(path)) ?? [];
    expect(
      changed.some((path) => path.includes("entries")),
      "the entry",
    ).toBe(true);
    expect(
      changed.some((path) => path.includes("plugins")),
      "the namespace",
    ).toBe(true);
    expect(
      changed.some((path) => path.includes("tasks")),
      "the phase",
    ).toBe(true);
    expect(world.kernel.receipt(task)).toEqual({ task, kind: "test.flow", outcome: "completed", result: 1 });
    expect(lines(world)).toEqual(["test.card: first"]);
  });

  it("[K-52] a step made inside the commit sees what is committed then", async () => {
    const gate = Promise.withResolvers<void>();
    const kind = flow({
      first: async () => {
        await gate.promise;
        return (tx) => complete(tx.get(NOTES).count);
      },
    });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    await until(world, () => false);
    world.kernel.commit((tx) => tx.set(NOTES, { count: 9 }));
    gate.resolve();
    await world.run();
    expect(world.kernel.receipt(task)?.result).toBe(9);
  });

  const breaches: readonly (readonly [string, StepOrBuilder<Flow> | undefined, RegExp])[] = [
    ["that is none", { kind: "finish" } as never, /gave no step: \{"kind":"finish"\}/],
    ["that is missing", undefined, /kind/],
    ["into a phase in flight", next("effect"), /went into the phase effect, which is in flight/],
    ["into itself with nothing done", next("first"), /no durable progress/],
    ["into a phase that there is none", next("nowhere" as "first", 1), /has no phase "nowhere"/],
    ["with a checkpoint that is no JSON", next("second", Number.NaN), /checkpoint\.n cannot be stored/],
    [
      "that sleeps until no time",
      { kind: "sleep", until: Number.NaN, checkpoint: { phase: "second", n: 0 } },
      /status\.until cannot be stored/,
    ],
    ["that is a promise", (() => Promise.resolve(complete())) as never, /no step|promise/],
    [
      "that throws inside its commit",
      () => {
        throw new Error("broken builder");
      },
      /broken builder/,
    ],
  ];
  it.each(breaches)(
    "[K-52] [K-53] [I-58] [I-59] [I-61] [D-6] a step %s faults the task, once",
    async (_name, step, reason) => {
      let runs = 0;
      const kind = flow({
        first: () => {
          runs++;
          return step as StepOrBuilder<Flow>;
        },
        second: () => complete(),
        effect: () => complete(),
      });
      const world = withKinds([kind]);
      const task = begin(world, kind);
      await world.run();
      const receipt = world.kernel.receipt(task);
      expect(receipt).toMatchObject({ outcome: "faulted" });
      expect(receipt?.result).toEqual({ error: matching(reason) });
      expect(runs).toBe(1);
      expect(world.kernel.isLost).toBe(false);
    },
  );

  it("[K-52] [K-58] a step may fail its task, saying why", async () => {
    const kind = flow({ first: () => ({ kind: "fail", error: "The index is full." }) });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    await world.run();
    expect(world.kernel.receipt(task)).toMatchObject({ outcome: "failed", result: { error: "The index is full." } });
  });

  it("[K-52] [K-58] a handler that throws a book is faulted with its beginning, and the kernel goes on", async () => {
    const kind = flow({ first: () => Promise.reject(new Error("x".repeat(MAX_RESULT_BYTES * 2))) });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    await world.run();
    const text = JSON.stringify(world.kernel.receipt(task)?.result);
    expect(text).toMatch(/x{1000}/);
    expect(text.length).toBeLessThanOrEqual(MAX_REASON_UNITS + JSON.stringify({ error: "" }).length);
    expect(world.kernel.isLost).toBe(false);
  });
});

describe("phases in flight", () => {
  it("[K-53] [A-13] [I-57] are entered by a commit of their own before the effect, and recovered under the same key", async () => {
    const sink = new Map<string, number>();
    const log: string[] = [];
    const send = (key: string) => sink.set(key, (sink.get(key) ?? 0) + 1);
    const kind = flow({
      async first(run) {
        log.push(`first ${run.checkpoint.n}`);
        run.enter({ phase: "effect", n: 7 });
        log.push(`in flight: ${JSON.stringify(world.control.tasks[String(run.id)]?.checkpoint)}`);
        send(run.idempotencyKey);
        return await new Promise<never>(() => undefined);
      },
      effect(run) {
        log.push(`effect ${run.checkpoint.n}`);
        send(run.idempotencyKey);
        return complete(run.idempotencyKey);
      },
    });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    await until(world, () => sink.size === 1);
    world.crash();
    world.start().resume();
    await world.run();
    expect(log).toEqual(["first 0", 'in flight: {"phase":"effect","n":7}', "effect 7"]);
    expect([...sink]).toEqual([[`test-conversation/${task}`, 2]]);
    expect(world.kernel.receipt(task)?.result).toBe(`test-conversation/${task}`);
  });

  it("[K-53] only what is declared in flight may be entered", async () => {
    const kind = flow({
      first(run) {
        run.enter({ phase: "second", n: 1 });
        return complete();
      },
      second: () => complete(),
    });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    await world.run();
    const error = "test.flow: the phase second is not declared in flight";
    expect(world.kernel.receipt(task)?.result).toEqual({ error });
  });

  it("[K-53] a handler that returns in flight without a step beyond it faults its task", async () => {
    const kind = flow({
      first(run) {
        run.enter({ phase: "effect", n: 1 });
        return { kind: "again" };
      },
      effect: () => complete(),
    });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    await world.run();
    expect(world.kernel.receipt(task)?.outcome).toBe("faulted");
  });
});

describe("a stale sight", () => {
  it.each([99, 100])("[K-54] [I-60] found %i times in a row; what those steps wrote does not stand", async (stale) => {
    let runs = 0;
    const kind = flow({
      first: () => (tx) => {
        tx.write(CARD, { text: "written" });
        return runs++ < stale ? { kind: "again" } : complete("at last");
      },
    });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    await world.run();
    if (stale < 100) {
      expect(world.kernel.receipt(task)).toMatchObject({ outcome: "completed", result: "at last" });
      expect(lines(world)).toEqual(["test.card: written"]);
    } else {
      const error = "test.flow found what it saw stale 100 times in a row";
      expect(world.kernel.receipt(task)).toMatchObject({ outcome: "faulted", result: { error } });
      expect(lines(world)).toEqual([]);
    }
    expect(runs).toBe(100);
  });
});

describe("sleeping, waiting, parking", () => {
  const at = (n: number): Flow => ({ phase: "second", n });

  it("[K-55] [E-11] a task sleeps until its time, over a death, with no more than an alarm", async () => {
    const kind = flow({
      first: ({ now }) => ({ kind: "sleep", until: now() + 60_000, checkpoint: at(now()) }),
      second: ({ checkpoint, now }) => complete(now() - checkpoint.n),
    });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    const until = world.clock.now() + 60_000;
    await world.pass(1_000);
    expect([tasksOf(world)[0]?.status, world.alarm.armedFor]).toEqual(["sleeping", until]);
    world.crash();
    world.start();
    await world.run();
    expect(world.kernel.receipt(task)?.result).toBe(60_000);
    expect(world.alarm.armedFor).toBeNull();
  });

  it.each(["complete", "fail", "throw", "abort"] as const)(
    "[K-55] [I-77] [D-1] a task waits for others, and one that ends by %s is finished",
    async (how) => {
      const ends: TaskDefinition<null, Flow> = flow(
        {
          first: ({ now }) => ({ kind: "sleep", until: now() + 5_000, checkpoint: at(0) }),
          second: () => {
            if (how === "throw") throw new Error("broken");
            return how === "fail" ? { kind: "fail", error: "failed" } : complete("done");
          },
        },
        "test.other",
      );
      const kind = flow({
        first: () => (tx) => {
          const tasks = [tx.createOwned(ends, null), tx.createOwned(ends, null)];
          return { kind: "wait", tasks, checkpoint: at(tasks[0] ?? 0) };
        },
        second: ({ checkpoint, receipt }) => complete(receipt(checkpoint.n)?.outcome ?? "live"),
      });
      const world = withKinds([kind, ends]);
      const task = begin(world, kind);
      await until(world, () => tasksOf(world).some(({ status }) => status === "waiting"));
      if (how === "abort")
        world.kernel.commit((tx) => tasksOf(world).map(({ id, kind }) => kind === "test.other" && tx.abort(id)));
      await world.run();
      const outcome = { complete: "completed", fail: "failed", throw: "faulted", abort: "aborted" }[how];
      expect(world.kernel.receipt(task)).toMatchObject({ outcome: "completed", result: outcome });
    },
  );

  it("[K-55] [D-1] a wait for what is finished already, or for nothing, goes on at once", async () => {
    const quick = flow({ first: () => complete() }, "test.other");
    let looked = 0;
    const kind = flow({
      first: () => ({ kind: "wait", tasks: [], checkpoint: at(1) }),
      // Says the same as it said: what it waited for had been finished when it said so.
      second: ({ receipt }) =>
        looked++ < 3 ? { kind: "wait", tasks: [1], checkpoint: at(1) } : complete(receipt(1)?.outcome ?? null),
    });
    const world = withKinds([kind, quick]);
    expect(begin(world, quick)).toBe(1);
    await world.run();
    const task = begin(world, kind);
    await world.run();
    expect(world.kernel.receipt(task)).toMatchObject({ outcome: "completed", result: "completed" });
  });

  it.each([
    ["itself", (run: TaskRun<null, Flow>) => run.id],
    ["its owner", (run: TaskRun<null, Flow>) => run.checkpoint.n],
  ])("[K-55] [D-1] a wait for %s is refused", async (_name, on) => {
    const child: TaskDefinition<null, Flow> = flow(
      { first: (run) => ({ kind: "wait", tasks: [on(run)], checkpoint: at(0) }) },
      "test.other",
      () => ({ phase: "first", n: owner }),
    );
    const owner = 1;
    const kind = flow({
      first: () => (tx) => ({ kind: "wait", tasks: [tx.createOwned(child, null)], checkpoint: at(0) }),
      second: ({ receipt, id }) => complete(receipt(id + 1)?.result ?? null),
    });
    const world = withKinds([kind, child]);
    expect(begin(world, kind)).toBe(owner);
    await world.run();
    expect(world.kernel.receipt(owner)?.result).toEqual({ error: containing("which cannot end before it does") });
  });

  it("[K-55] [D-1] the wait that would close a circle is refused, and the others end", async () => {
    const kind = flow({
      first: ({ id, now }) => ({ kind: "sleep", until: now() + id * 1_000, checkpoint: at(id) }),
      second: ({ checkpoint: { n } }) => ({ kind: "wait", tasks: [(n % 3) + 1], checkpoint: { phase: "third", n } }),
      third: () => complete(),
    });
    const world = withKinds([kind]);
    const tasks = [begin(world, kind), begin(world, kind), begin(world, kind)];
    expect(tasks).toEqual([1, 2, 3]);
    await world.run();
    expect(tasks.map((task) => world.kernel.receipt(task)?.outcome)).toEqual(["completed", "completed", "faulted"]);
  });

  it("[K-55] a task parks until it is woken, without alarm, and looks again after a reopen", async () => {
    let looks = 0;
    const kind = flow({
      first: () => {
        looks++;
        return (tx) =>
          tx.get(NOTES).count === 0
            ? { kind: "park", deadline: null, checkpoint: { phase: "first", n: 1 } }
            : complete("woken");
      },
    });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    await world.run();
    expect([looks, world.alarm.armedFor, tasksOf(world)[0]?.status]).toEqual([1, null, "parked"]);
    world.crash();
    world.start().resume();
    await world.run();
    expect([looks, tasksOf(world)[0]?.status]).toEqual([2, "parked"]);
    world.kernel.commit((tx) => {
      tx.set(NOTES, { count: 1 });
      expect(tx.wake(task)).toBe(true);
      expect(tx.wake(task), "it runs already").toBe(false);
    });
    await world.run();
    expect(world.kernel.receipt(task)?.result).toBe("woken");
  });

  it("[K-55] a parked task goes on at its deadline", async () => {
    const kind = flow({
      first: ({ now }) => ({ kind: "park", deadline: now() + 60_000, checkpoint: at(now()) }),
      second: ({ checkpoint, now }) => complete(now() - checkpoint.n),
    });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    await world.run();
    expect(world.kernel.receipt(task)?.result).toBe(60_000);
  });

  it("[K-55] a wake while a parked task looks again is not lost", async () => {
    const gate = Promise.withResolvers<void>();
    let looks = 0;
    const kind = flow({
      async first({ read }) {
        const { count } = read.get(NOTES);
        if (++looks === 2) await gate.promise;
        return count === 0 ? { kind: "park", deadline: null, checkpoint: { phase: "first", n: 1 } } : complete("woken");
      },
    });
    const world = withKinds([kind]);
    const task = begin(world, kind);
    await world.run();
    world.crash();
    world.start().resume();
    await until(world, () => looks === 2);
    world.kernel.commit((tx) => {
      tx.set(NOTES, { count: 1 });
      tx.wake(task);
    });
    gate.resolve();
    await world.run();
    expect(world.kernel.receipt(task)?.result).toBe("woken");
  });
});

describe("what a task remembers", () => {
  it("[K-52] [I-67] stays apart from what others remember beside it, under the kind's own name too, and goes with it", async () => {
    const namesake = defineNamespace({ name: "test.flow", sticky: {} });
    const kind = flow({
      first: (run) => {
        const own = [run.memo("answer", 1), run.memo("answer", 2)];
        const others = run.commit((tx) => tx.memo(namesake, run.id, "answer", 3));
        return complete([...own, others]);
      },
    });
    const world = withKinds([kind], { register: (registry) => void registry.namespace(namesake) });
    const task = begin(world, kind);
    await world.run();
    expect(world.kernel.receipt(task)?.result).toEqual([1, 1, 3]);
    expect(dump(world)).toContain('["memos",[]]');
  });
});

describe("what clients see", () => {
  it("[K-59] [A-14] what its kind describes, else its phase; stopping while it stops", async () => {
    const described = { ...flow({ first: (run) => wait(run) }), describe: ({ n }: Flow) => ({ percent: n }) };
    const plain = flow({ first: (run) => wait(run) }, "test.plain");
    const wait = async ({ signal }: TaskRun<null, Flow>) => {
      await untilAborted(signal);
      return complete();
    };
    const world = withKinds([described, plain]);
    const [one, two] = [begin(world, described), begin(world, plain)];
    const shown = () => world.kernel.snapshot().view.tasks;
    expect(shown()).toEqual({
      [one]: { kind: "test.flow", status: { percent: 0 } },
      [two]: { kind: "test.plain", status: { phase: "first" } },
    });
    world.kernel.commit((tx) => tx.abort(two));
    expect(shown()[two]).toEqual({ kind: "test.plain", status: { phase: "first" }, stopping: true });
    await until(world, () => world.kernel.receipt(two) !== undefined);
    expect(Object.keys(shown())).toEqual([String(one)]);
  });

  it("[K-59] [K-26] [A-15] [D-4] [E-15] [R-32] a task whose code is missing is shown as blocked, stays as it is, and goes on when it is back", async () => {
    const kind = flow({
      first: ({ now }) => ({ kind: "sleep", until: now() + 1_000, checkpoint: { phase: "second", n: 5 } }),
      second: ({ checkpoint }) => complete(checkpoint.n),
    });
    const world = withKinds([]);
    const undo = world.registry.registerTaskKind(kind);
    const task = begin(world, kind);
    await world.run(() => tasksOf(world)[0]?.status === "sleeping");
    undo();
    world.kernel.commit((tx) => tx.set(NOTES, { count: 1 }));
    await world.pass(60_000);
    expect(world.kernel.snapshot().view.tasks).toEqual({
      [task]: { kind: "test.flow", status: { phase: "second" }, blocked: true },
    });
    world.crash();
    world.start().resume();
    await world.run();
    expect(tasksOf(world).map(({ id, status }) => [id, status])).toEqual([[task, "sleeping"]]);
    world.registry.registerTaskKind(kind);
    world.kernel.resume();
    await world.run();
    expect(world.kernel.receipt(task)).toMatchObject({ outcome: "completed", result: 5 });
    expect(entriesOf(world, "core.user")).toEqual([]);
  });
});
