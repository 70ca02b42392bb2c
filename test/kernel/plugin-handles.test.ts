import { describe, expect, it } from "vitest";
import {
  coreNotice,
  defineEntry,
  defineNamespace,
  defineTask,
  type HostTx,
  type TaskRun,
  type ToolContext,
} from "../../src/kernel/index.ts";
import { MAX_WRITE_BYTES } from "../../src/kernel/limits.ts";
import type { BeforeToolApi } from "../../src/kernel/registry/hooks.ts";
import type { TaskTx } from "../../src/kernel/registry/task-definition.ts";
import type { Json } from "../../src/lib/json.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { callsThen, guarded, park, parkedIn, until } from "./guarded.ts";
import { containing, dump, entriesOf, lines, NOTES, results, send, tool } from "./make.ts";
import { started } from "./started.ts";

const CARD = defineEntry({ kind: "test.card" });
const SECRET = defineNamespace<{ code: number }>({ name: "secret", sticky: { code: 1 } });

/** A task that runs a test's code and is complete. */
function taskOf(work: (run: TaskRun<null>) => Json | Promise<Json>, abort?: (run: TaskRun<null>) => void) {
  return defineTask<null, { readonly phase: "start" }>({
    kind: "test.work",
    initial: () => ({ phase: "start" }),
    phases: { start: async (run) => ({ kind: "complete", result: await work(run) }) },
    ...(abort && { abort: (run) => Promise.resolve(abort(run as TaskRun<null>)) }),
  });
}

/** Begins the task and runs to rest. */
async function runTask(definition: ReturnType<typeof taskOf>): Promise<{ world: KernelWorld; task: number }> {
  const world = started({ register: (registry) => void registry.registerTaskKind(definition) });
  const task = world.kernel.commit((tx) => tx.createTask(definition, null));
  await world.run();
  return { world, task };
}

/** Everything that a plugin could try with a transaction, each a refusal by a cast. */
const CASTS: readonly (readonly [string, RegExp | string, (tx: HostTx, world: KernelWorld) => unknown])[] = [
  ["write an entry of the kernel's", /kernel alone writes/, (tx) => tx.write({ kind: "core.user" }, { text: "x" })],
  ["write a reset", /kernel alone writes/, (tx) => tx.write({ kind: "core.reset" }, { data: { by: "x" } })],
  ["write a forged notice", /kernel alone writes/, (tx) => tx.write({ kind: "core.notice" }, { text: "x" })],
  ["write a notice without text", /a notice needs a text/, (tx) => tx.write(coreNotice, { data: 1 })],
  ["name a head", /head is the kernel's own/, (tx) => tx.write(coreNotice, { text: "x", head: [] } as never)],
  ["edit entries", /edits is the kernel's own/, (tx) => tx.write(CARD, { edits: [] } as never)],
  ["give a whole message", /message is the kernel's own/, (tx) => tx.write(CARD, { message: {} } as never)],
  ["write text that is none", /is a number: give a string/, (tx) => tx.write(CARD, { text: 7 as never })],
  [
    "write data that is no JSON",
    /data\.at cannot be stored/,
    (tx) => tx.write(CARD, { data: { at: new Date(0) } as never }),
  ],
  ["write a kind of no name", /must match/, (tx) => tx.write({ kind: "No Name" }, { text: "x" })],
  ["append", /append is not a function/, (tx) => (tx as never as { append(draft: Json): void }).append({ kind: "x" })],
  ["take the control row", /undefined/, (tx) => (tx as never as { control: { nextId: number } }).control.nextId++],
  ["put an input", /putInput is not a function/, (tx) => (tx as never as { putInput(v: Json): void }).putInput({})],
  ["end a task", /finish is not a function/, (tx) => (tx as never as { finish(id: number): void }).finish(1)],
  [
    "move a checkpoint",
    /checkpoint is not a function/,
    (tx) => (tx as never as { checkpoint(id: number, v: Json): void }).checkpoint(1, {}),
  ],
  ["fill a slot", /slot is not a function/, (tx) => (tx as never as { slot(id: number, v: Json): void }).slot(1, 1)],
  ["replace an operation", /read only property/, (tx) => Object.assign(tx, { write: () => 1 })],
  [
    "create a task of the kernel's",
    /StaleDefinition: task kind core\.tool/,
    (tx) => tx.createTask({ kind: "core.tool", initial: () => ({ phase: "check" }) }, { entry: 1, index: 0 }),
  ],
  [
    "begin a turn",
    /StaleDefinition: task kind core\.generation/,
    (tx) => tx.createTask({ kind: "core.generation", initial: () => ({ phase: "prepare" }) }, null),
  ],
  [
    "own from a commit of the host",
    /createOwned is not a function/,
    (tx) =>
      (tx as never as TaskTx).createOwned(
        taskOf(() => null),
        null,
      ),
  ],
  ["read another's namespace by its name", /StaleDefinition: namespace secret/, (tx) => tx.get({ ...SECRET })],
  [
    "change another's namespace by its name",
    /StaleDefinition: namespace secret/,
    (tx) => tx.set({ ...SECRET }, { code: 2 }),
  ],
  ["announce in another's name", /StaleDefinition: namespace secret/, (tx) => tx.emit({ ...SECRET }, "x", {})],
  ["remember in another's name", /StaleDefinition: namespace secret/, (tx) => tx.memo({ ...SECRET }, 1, "x", 1)],
  ["change the kernel's documents", /no configuration key "core\.pins"/, (tx) => tx.configure("core.pins", [])],
  ["remember beside a task that there is none", /Task 99 is finished/, (tx) => tx.memo(NOTES, 99, "x", 1)],
  [
    "stop the turn's task",
    /belongs to a turn: stop the turn instead/,
    (tx, world) => tx.abort(world.control.turn?.task ?? 0),
  ],
];

describe("casts of a transaction reach nothing", () => {
  /** A turn that runs, and a world of which nothing may change. */
  async function busy() {
    const work = taskOf(() => null);
    const { world } = guarded([{ beforeTool: () => Promise.resolve(park()) }], {
      register: (registry) => {
        registry.namespace(SECRET);
        registry.registerTaskKind(work);
      },
    });
    send(world, "go");
    await until(world, () => parkedIn(world) !== undefined);
    return world;
  }

  it.each(CASTS)(
    "[K-48] [B-2] [A-16] [I-63] [A-23] [A-24] [I-79] [I-80] [I-81] of the host: to %s",
    async (_name, refusal, attempt) => {
      const world = await busy();
      const before = dump(world);
      expect(() => world.kernel.commit((tx) => attempt(tx, world))).toThrow(refusal);
      expect(dump(world)).toBe(before);
      expect(world.kernel.isLost).toBe(false);
    },
  );

  it.each(CASTS.filter(([name]) => !name.startsWith("own")))(
    "[K-48] [B-2] [I-79] of a task: to %s",
    async (_name, refusal, attempt) => {
      const tried: unknown[] = [];
      const definition = taskOf((run) => {
        try {
          run.commit((tx) => attempt(tx, world));
        } catch (error) {
          tried.push(error);
        }
        return null;
      });
      const { world } = guarded([{ beforeTool: () => Promise.resolve(park()) }], {
        register: (registry) => {
          registry.namespace(SECRET);
          registry.registerTaskKind(definition);
        },
      });
      send(world, "go");
      await until(world, () => parkedIn(world) !== undefined);
      const task = world.kernel.commit((tx) => tx.createTask(definition, null));
      await until(world, () => world.kernel.receipt(task) !== undefined);
      expect(String(tried[0])).toMatch(refusal);
      expect(entriesOf(world, "core.user").map(({ kind }) => kind)).toEqual(["core.user"]);
      expect(world.kernel.get(SECRET)).toEqual({ code: 1 });
    },
  );

  it("[K-48] [I-80] a notice is one text for the model, and data beside it for people", () => {
    const world = started();
    const ids = world.kernel.commit((tx) => [
      tx.write(coreNotice, { text: "Told.", data: { n: 1 } }),
      tx.write(CARD, { data: { shown: true } }),
    ]);
    const [notice] = entriesOf(world, "core.notice");
    expect(notice).toMatchObject({ id: ids[0], message: { role: "user", content: [{ type: "text", text: "Told." }] } });
    expect(entriesOf(world, "test.card")).toEqual([
      { id: ids[1], kind: "test.card", at: world.clock.now(), data: { shown: true } },
    ]);
    expect(lines(world)).toEqual(["notice: Told.", "test.card: "]);
  });

  it("[K-21] an entry of a plugin takes 256 KB of text and data, and not one byte more", () => {
    const world = started();
    const frame = JSON.stringify(["", null]).length;
    const write = (bytes: number) => () =>
      world.kernel.commit((tx) => tx.write(CARD, { text: "x".repeat(bytes - frame) }));
    expect(write(MAX_WRITE_BYTES + 1)).toThrow(`The entry of test.card has ${MAX_WRITE_BYTES + 1} bytes, the limit is`);
    expect(lines(world)).toEqual([]);
    write(MAX_WRITE_BYTES)();
    expect(lines(world)).toHaveLength(1);
  });

  it("[K-48] [I-87] an event carries the namespace's name, whatever its facts say", () => {
    const world = started();
    world.kernel.commit((tx) => tx.emit(NOTES, "moved", { type: "core.tool", n: 1 }));
    expect(world.commits.at(-1)?.events).toEqual([{ type: "plugin.notes.moved", n: 1 }]);
  });
});

describe("casts of other handles reach nothing", () => {
  it("[K-48] [B-2] a task's reading handle is not the kernel's store", async () => {
    const { world, task } = await runTask(
      taskOf((run) => {
        const { read } = run;
        (read.facts as { name: string }).name = "forged";
        return [
          typeof (read as never as { commit?: unknown }).commit,
          Object.keys(read).toSorted(),
          Object.isFrozen(read),
        ];
      }),
    );
    expect(world.kernel.receipt(task)?.result).toEqual(["undefined", ["config", "facts", "get"], true]);
    expect(world.kernel.facts).toEqual({ name: "test" });
  });

  it("[K-48] [B-2] a section gets the same", async () => {
    const seen: unknown[] = [];
    const world = started({
      register: (registry) => {
        registry.registerSection({
          name: "peek",
          kind: "volatile",
          render: ({ read }) => {
            seen.push(Object.keys(read).toSorted());
            return "";
          },
        });
      },
    });
    send(world, "hi");
    await world.run();
    expect(seen).toEqual([["config", "facts", "get"]]);
  });

  it("[K-48] [I-75] what a task is shown of itself it cannot change", async () => {
    const { world, task } = await runTask(
      taskOf((run) => {
        Object.assign(run.checkpoint, { phase: "forged" });
        return run.checkpoint;
      }),
    );
    expect(world.kernel.receipt(task)).toMatchObject({ outcome: "completed", result: { phase: "start" } });
  });

  it("[K-48] [I-86] a tool reaches neither its call nor its task", async () => {
    const seen: unknown[] = [];
    const look = tool("look", (_input, context) => {
      seen.push(Object.isFrozen(context), Object.keys(context).toSorted());
      Object.assign(context.meta as object, { tier: "owner" });
      return Promise.resolve({ text: "seen" });
    });
    const world = started({ tools: [look], script: callsThen("look") });
    send(world, "go", { meta: { tier: "guest" } });
    await world.run(() => seen.length > 0);
    expect(world.control.turn?.meta ?? { tier: "guest" }).toEqual({ tier: "guest" });
    expect(seen).toEqual([
      true,
      [
        "actor",
        "begin",
        "idempotencyKey",
        "memo",
        "meta",
        "now",
        "progress",
        "read",
        "recall",
        "signal",
        "spawn",
        "task",
        "update",
      ],
    ]);
  });

  it("[K-48] [I-85] a handler before a tool changes arguments by its decision only, and never for whom the call runs", async () => {
    const metas: Json[] = [];
    const { world, runs } = guarded([
      {
        beforeTool: (call) => {
          Object.assign(call.input as object, { n: 666 });
          Object.assign(call.meta as object, { tier: "owner" });
          return Promise.resolve({ kind: "pass" });
        },
      },
      {
        beforeTool: (call) => {
          metas.push(call.meta, call.input);
          return Promise.resolve({ kind: "pass" });
        },
      },
    ]);
    send(world, "go", { meta: { tier: "guest" } });
    await world.run();
    expect(metas).toEqual([{ tier: "guest" }, { n: 1 }]);
    expect(runs).toEqual([{ n: 1 }]);
  });

  it.each([
    ["a word that is no decision", { kind: "alow" }],
    ["nothing", undefined],
  ])("[K-48] [T-30] a check that decides %s blocks the call", async (_name, decision) => {
    const { world, runs } = guarded([{ beforeTool: () => Promise.resolve(decision as never) }]);
    send(world, "go");
    await world.run();
    expect(results(world)).toEqual([{ outcome: "blocked", code: "check_failed", text: containing("did not run") }]);
    expect(runs).toEqual([]);
  });

  it("[K-48] [K-40] a projection and a description cannot change what they are shown", async () => {
    const sorted = defineNamespace<{ list: readonly number[] }>({
      name: "sorted",
      sticky: { list: [] },
      view: ({ list }) => (list as number[]).reverse(),
    });
    const definition = {
      ...taskOf(async (run) => {
        await Promise.resolve();
        run.commit((tx) => tx.set(sorted, { list: [3, 1, 2] }));
        return run.checkpoint;
      }),
      describe: (checkpoint: { readonly phase: string }) => Object.assign(checkpoint, { phase: "forged" }) as Json,
    };
    const world = started({
      register: (registry) => {
        registry.namespace(sorted);
        registry.registerTaskKind(definition);
      },
    });
    const task = world.kernel.commit((tx) => tx.createTask(definition, null));
    await world.run();
    expect(world.kernel.get(sorted).list).toEqual([3, 1, 2]);
    expect(world.reports.map(({ event }) => event)).toContain("view.projection_failed");
    expect(world.kernel.receipt(task)?.result).toEqual({ phase: "start" });
  });
});

describe("handles are dead after their time", () => {
  const uses = (tx: HostTx): readonly (() => unknown)[] => [
    () => tx.get(NOTES),
    () => tx.set(NOTES, { count: 1 }),
    () => tx.write(CARD, { text: "late" }),
    () => tx.write(coreNotice, { text: "late" }),
    () => tx.configure("compactAt", 0.5),
    () => tx.send({ key: "k", target: "t", payload: null }),
    () => tx.emit(NOTES, "late", {}),
    () => tx.memo(NOTES, 1, "late", 1),
    () => tx.wake(1),
    () => tx.abort(1),
  ];

  it.each(["returned", "threw"])("[K-5] [K-48] [B-4] [I-20] a transaction whose builder %s", (how) => {
    const world = started();
    const kept: HostTx[] = [];
    const escape = () =>
      world.kernel.commit((tx) => {
        kept.push(tx);
        if (how === "threw") throw new Error("on purpose");
      });
    if (how === "threw") expect(escape).toThrow("on purpose");
    else escape();
    const before = dump(world);
    for (const [tx] of [kept]) for (const use of tx ? uses(tx) : []) expect(use, String(use)).toThrow(/is over/);
    expect(dump(world)).toBe(before);
    world.kernel.commit((tx) => tx.set(NOTES, { last: "other" }));
    expect(world.kernel.get(NOTES), "a later commit stores nothing of it").toMatchObject({ count: 0, last: "other" });
    expect(world.kernel.config("compactAt")).toBe(0.75);
  });

  it("[K-48] [B-3] [I-74] a task's run, after its handler returned and after the task ended", async () => {
    const kept: (TaskRun<null> | HostTx)[] = [];
    const { world } = await runTask(
      taskOf((run) => {
        kept.push(run);
        run.commit((tx) => void kept.push(tx));
        return null;
      }),
    );
    const [run, tx] = kept as [TaskRun<null>, TaskTx];
    const before = dump(world);
    for (const use of [
      () => run.commit(() => 1),
      () => run.memo("m", 1),
      () => run.enter({ phase: "start" }),
      () => run.checkpoint,
      () =>
        tx.createOwned(
          taskOf(() => null),
          null,
        ),
    ]) {
      expect(use, String(use)).toThrow(/has returned|is over|StaleDefinition/);
    }
    expect(dump(world)).toBe(before);
  });

  it("[K-48] [B-3] [I-74] a task's run in the next round of the same invocation", async () => {
    const kept: TaskRun<null, { readonly phase: "start" }>[] = [];
    const late: unknown[] = [];
    const twice = defineTask<null, { readonly phase: "start" }>({
      kind: "test.work",
      initial: () => ({ phase: "start" }),
      phases: {
        async start(run) {
          await Promise.resolve();
          kept.push(run);
          if (kept.length === 1) return { kind: "again" };
          try {
            kept[0]?.memo("m", 1);
          } catch (error) {
            late.push(error);
          }
          return { kind: "complete", result: null };
        },
      },
    });
    const world = started({ register: (registry) => void registry.registerTaskKind(twice) });
    world.kernel.commit((tx) => tx.createTask(twice, null));
    await world.run();
    expect(late.map(String)).toEqual([containing("has returned")]);
  });

  it("[K-48] [B-3] [I-116] a task's run once the task is stopped", async () => {
    const kept: TaskRun<null>[] = [];
    const late: unknown[] = [];
    const definition = taskOf(async (run) => {
      kept.push(run);
      await new Promise<void>((resolve) => run.signal.addEventListener("abort", () => resolve()));
      try {
        run.commit((tx) => tx.set(NOTES, { count: 1 }));
      } catch (error) {
        late.push(error);
      }
      return "finished all the same";
    });
    const world = started({ register: (registry) => void registry.registerTaskKind(definition) });
    const task = world.kernel.commit((tx) => tx.createTask(definition, null));
    await until(world, () => kept.length === 1);
    world.kernel.commit((tx) => tx.abort(task));
    await world.run();
    expect(late.map(String)).toEqual([containing("was stopped or taken over")]);
    expect(world.kernel.receipt(task)).toEqual({ task, kind: "test.work", outcome: "aborted" });
    expect(world.kernel.get(NOTES).count).toBe(0);
  });

  it("[K-48] [B-2] [I-122] an abort handler cleans up, and begins nothing that the stopped task would own", async () => {
    const tried: unknown[] = [];
    const definition = taskOf(
      () => new Promise<Json>(() => undefined),
      (run) => {
        try {
          run.commit((tx) => tx.createOwned(definition, null));
        } catch (error) {
          tried.push(error);
        }
        run.commit((tx) => tx.set(NOTES, { last: "cleaned up" }));
      },
    );
    const world = started({ register: (registry) => void registry.registerTaskKind(definition) });
    const task = world.kernel.commit((tx) => tx.createTask(definition, null));
    world.kernel.commit((tx) => tx.abort(task));
    await world.run();
    expect(tried.map(String)).toEqual([containing(`Task ${task} is being stopped: it begins nothing more`)]);
    expect(world.kernel.get(NOTES).last).toBe("cleaned up");
    expect(Object.keys(world.control.tasks)).toEqual([]);
  });

  it("[K-48] [B-3] what a check was given, while its call runs", async () => {
    const kept: BeforeToolApi[] = [];
    const late: unknown[] = [];
    const { world } = guarded(
      [
        {
          beforeTool: (_call, api) => {
            kept.push(api);
            return Promise.resolve({ kind: "pass" });
          },
        },
      ],
      {
        tools: [
          tool("work", () => {
            for (const use of [() => kept[0]?.memo("late", 1), () => kept[0]?.emit("late", {})]) {
              try {
                use();
              } catch (error) {
                late.push(error);
              }
            }
            return Promise.resolve({ text: "worked" });
          }),
        ],
      },
    );
    send(world, "go");
    await world.run();
    expect(late.map(String)).toEqual(Array.from({ length: 2 }, () => containing("The check by notes is over")));
    expect(world.commits.flatMap(({ events }) => events.map(({ type }) => type))).not.toContain("plugin.notes.late");
  });

  it("[K-48] [B-3] [I-110] what a tool was given, once its turn was stopped", async () => {
    const kept: ToolContext[] = [];
    const late: unknown[] = [];
    const look = tool("look", async (_input, context) => {
      kept.push(context);
      await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve()));
      for (const use of [
        () => context.memo("late", 1),
        () => context.progress("late"),
        () => context.update(NOTES, () => ({ count: 1 })),
        () =>
          context.begin(
            "late",
            taskOf(() => null),
            null,
          ),
      ]) {
        try {
          use();
        } catch (error) {
          late.push(error);
        }
      }
      return { text: "late" };
    });
    const world = started({ tools: [look], script: callsThen("look") });
    send(world, "go");
    await until(world, () => kept.length === 1);
    world.kernel.stop();
    await world.run();
    expect(late.map(String)).toEqual(Array.from({ length: 4 }, () => containing("has ended or was stopped")));
    expect(world.deltas.filter(({ channel }) => channel === "progress")).toEqual([]);
  });
});
