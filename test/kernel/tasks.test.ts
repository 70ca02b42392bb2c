import { describe, expect, it, vi } from "vitest";
import type { Run } from "../../src/kernel/registry/task-kind.ts";
import { plantTask, putControl } from "../kit/planted-task.ts";
import { untilAborted } from "../kit/scripted-model.ts";
import { containing, countRows, entriesOf, lines, matching, NOTES, results, send, tool } from "./make.ts";
import { finishTask, inTask, restartWithTask, TEST_KIND, TEST_TASK, testKind } from "./make-task.ts";
import { started } from "./started.ts";

// Long histories on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

/** A world whose registry knows a test kind. */
function withKind(changes: Parameters<typeof testKind>[0] = {}) {
  return started({ kinds: [testKind(changes)] });
}

const callsOnce =
  (name: string, args = "{}") =>
  (_request: unknown, nth: number) =>
    nth === 0 ? { calls: [{ name, args }] } : { text: "Done." };

describe("running and recovering", () => {
  it("[K-22] [I-76] a pending task is durably running before its first handler runs", async () => {
    const seen: string[] = [];
    const start = async (run: Run) => {
      seen.push(world.control.tasks[String(run.id)]?.status ?? "none");
      await finishTask(run);
    };
    const world = withKind({ phases: { start } });
    const id = await restartWithTask(world);
    expect(seen).toEqual(["running"]);
    expect(world.kernel.receipt(id)?.outcome).toBe("completed");
  });

  it("[K-22] a turn's first task is durably running before its first handler runs", async () => {
    const seen: string[] = [];
    const world = started({
      settings: () => {
        seen.push(...Object.values(world.control.tasks).map((task) => task.status));
        return { model: "test/model", thinking: "off", offers: () => true };
      },
    });
    send(world, "hi");
    await world.run();
    expect(seen).toEqual(["running"]);
  });

  it("[K-23] [I-124] opening starts nothing and makes what ran pending, once", async () => {
    const world = started({ script: () => ({ text: "Hello.", between: untilAborted }) });
    send(world, "hi");
    await world.run(() => world.model.requests.length === 1);
    const before = world.control;
    const [task] = Object.values(before.tasks);
    expect(task).toMatchObject({ status: "running", checkpoint: { phase: "requesting" } });
    for (let opened = 0; opened < 2; opened++) {
      world.crash();
      world.start();
      await new Promise((resolve) => setImmediate(resolve));
      expect(world.control.tasks).toEqual({ [String(task?.id)]: { ...task, status: "pending" } });
      expect(world.control.epoch).toBe(before.epoch + 1);
      expect(world.model.requests).toHaveLength(1);
    }
  });

  it("[K-23] [I-78] resuming again and again starts each task once", async () => {
    const world = started();
    send(world, "hi");
    world.crash();
    const kernel = world.start();
    for (let i = 0; i < 5; i++) kernel.resume();
    await world.run();
    kernel.resume();
    await world.run();
    expect(world.model.requests).toHaveLength(1);
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
  });

  it("[K-24] [A-13] [I-57] what was in flight at a death is recovered, not entered as if new", async () => {
    const log: string[] = [];
    const sink = new Set<string>();
    const effect = (run: Run) => sink.add(`key:${run.id}`);
    const world = withKind({
      inFlight: ["effect"],
      phases: {
        start: async (run) => {
          log.push("start");
          run.commit((tx) => tx.checkpoint(run.id, { phase: "effect" }));
          effect(run);
          await new Promise(() => undefined);
        },
        effect: async (run) => {
          log.push("recover");
          effect(run);
          await finishTask(run);
        },
      },
    });
    world.crash();
    const id = plantTask(world, { kind: TEST_KIND });
    world.start().resume();
    await world.run(() => sink.size === 1);
    expect(log).toEqual(["start"]);
    world.crash();
    world.start().resume();
    await world.run();
    expect(log).toEqual(["start", "recover"]);
    expect([...sink]).toEqual([`key:${id}`]);
    expect(world.kernel.receipt(id)?.outcome).toBe("completed");
  });

  const breaches: readonly (readonly [string, (run: Run) => Promise<void>, RegExp])[] = [
    ["returns without durable progress", () => Promise.resolve(), /no durable progress/],
    ["throws", () => Promise.reject(new Error("broken kind")), /broken kind/],
    [
      "commits an unknown phase",
      async (run) => {
        await Promise.resolve();
        run.commit((tx) => tx.checkpoint(run.id, { phase: "toString" }));
      },
      /no phase "toString"/,
    ],
    [
      "returns in a phase that is in flight",
      async (run) => {
        await Promise.resolve();
        run.commit((tx) => tx.checkpoint(run.id, { phase: "effect" }));
      },
      /phase effect, which is in flight/,
    ],
  ];

  it.each(breaches)("[K-25] [I-58] [I-59] [I-61] a handler that %s faults its task", async (_name, start, reason) => {
    const world = withKind({ phases: { start, effect: finishTask }, inFlight: ["effect"] });
    const id = await restartWithTask(world);
    expect(world.kernel.receipt(id)).toEqual({ task: id, kind: TEST_KIND, outcome: "faulted" });
    const faults = world.reports.filter((report) => report.event === "task.faulted");
    expect(faults.map((report) => report.facts["error"])).toEqual([matching(reason)]);
    expect(world.alarm.armedFor).toBeNull();
  });

  it("[K-25] a turn whose generation breaks its contract ends with a visible failure", async () => {
    const world = started();
    send(world, "hi");
    world.crash();
    const { control } = world;
    const [task] = Object.values(control.tasks);
    const broken = { ...task, checkpoint: { ...task?.checkpoint, phase: "from a newer deploy" } };
    putControl(world, { ...control, tasks: { [String(task?.id)]: broken } as typeof control.tasks });
    world.start().resume();
    await world.run();
    const [failed] = entriesOf(world, "core.assistant");
    expect(failed?.data).toMatchObject({ display: { reason: "failed", error: containing("no phase") } });
    expect(world.kernel.input("p_anna:hi")?.state).toMatchObject({ status: "unanswered", reason: "failed" });
    expect(world.control.turn).toBeNull();
    send(world, "and now?");
    await world.run();
    expect(lines(world).at(-1)).toBe("assistant: Hello.");
  });

  it("[K-25] a vendor's port that throws in mid-stream fails the turn, with what had come shown and nothing left live", async () => {
    const between = () => Promise.reject(new Error("broken port"));
    const world = started({ script: () => ({ text: "Once upon", between }) });
    send(world, "hi");
    await world.run();
    expect(entriesOf(world, "core.assistant")).toMatchObject([
      {
        data: { display: { reason: "failed", error: containing("broken port") } },
        message: { content: [{ text: "Once " }] },
      },
    ]);
    expect(world.kernel.snapshot().live).toEqual([]);
    expect(world.control.turn).toBeNull();
  });

  it("[K-25] a call whose result cannot be stored gets a visible error, and its turn goes on", async () => {
    const bad = { text: "x", files: [{ id: "f", name: "f", mime: "text/plain", bytes: Number.NaN }] };
    const world = started({ tools: [tool("look", () => Promise.resolve(bad))], script: callsOnce("look") });
    send(world, "hi");
    await world.run();
    expect(results(world)).toEqual([{ outcome: "error", code: "fault", text: containing("bytes") }]);
    expect(lines(world).at(-1)).toBe("assistant: Done.");
  });

  it("[K-44] a kernel that cannot even record the fault gives up, says so, and does not circle", async () => {
    let runs = 0;
    const start = () => {
      runs++;
      return Promise.reject(new Error("broken"));
    };
    const fault = () => {
      throw new Error("and worse");
    };
    const world = withKind({ phases: { start }, fault });
    world.mayWakeLate = true;
    world.crash();
    plantTask(world, { kind: TEST_KIND });
    world.start().resume();
    await world.run(() => world.kernel.isLost, world.clock.now());
    expect(world.kernel.isLost).toBe(true);
    const { sets } = world.alarm;
    await world.pass(600_000);
    expect(world.alarm.sets - sets).toBeLessThanOrEqual(11);
    expect(runs).toBe(1);
  });
});

describe("blocked kinds", () => {
  it("[K-26] [E-15] [D-4] a task of an unknown kind stays untouched until its kind is registered", async () => {
    const world = started();
    const id = await restartWithTask(world, { status: "running" });
    const planted = world.control.tasks[String(id)];
    expect(planted).toMatchObject({ status: "pending", checkpoint: { phase: "start" } });
    expect(world.alarm.armedFor, "nothing wakes for it").toBeNull();
    send(world, "hi");
    await world.run();
    expect(world.control.tasks[String(id)]).toEqual(planted);
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
    world.registry.registerTaskKind(TEST_TASK);
    world.kernel.resume();
    await world.run();
    expect(world.kernel.receipt(id)?.outcome).toBe("completed");
  });

  it("[K-26] a stop settles a turn that hangs on a task of an unknown kind", async () => {
    const world = started({
      tools: [tool("look", () => new Promise(() => undefined))],
      script: callsOnce("look"),
    });
    send(world, "hi");
    await world.run(() => Object.keys(world.control.tasks).length === 2, world.clock.now());
    world.crash();
    const { control } = world;
    const tasks = Object.entries(control.tasks).map(([id, task]) => {
      return [id, task.kind === "core.tool" ? { ...task, kind: "gone.kind" } : task];
    });
    putControl(world, { ...control, tasks: Object.fromEntries(tasks) as typeof control.tasks });
    world.start().resume();
    await world.run();
    expect(world.control.turn).not.toBeNull();
    expect(world.kernel.stop()).toBe(true);
    await world.run();
    expect(world.control.turn).toBeNull();
    expect(world.control.tasks).toEqual({});
  });

  it("[K-26] a kind that is taken away leaves its task pending for the next time", async () => {
    const world = started();
    const undo = world.registry.registerTaskKind(TEST_TASK);
    undo();
    const id = await restartWithTask(world);
    expect(world.control.tasks[String(id)]?.status).toBe("pending");
  });
});

describe("stop marks and receipts", () => {
  it("[K-27] [I-116] [B-3] after a stop the old invocation may not write, and aborting waits for it", async () => {
    const log: string[] = [];
    const world = started({
      tools: [
        tool("look", async (_input, context) => {
          await untilAborted(context.signal);
          log.push(`finished before the tool returned: ${world.kernel.receipt(context.task) !== undefined}`);
          for (const use of [() => context.update(NOTES, () => ({ count: 9 })), () => context.memo("m", 1)]) {
            try {
              use();
              log.push("written");
            } catch (error) {
              log.push(String((error as { code?: string }).code));
            }
          }
          return { text: "late" };
        }),
      ],
      script: callsOnce("look"),
    });
    send(world, "hi");
    await world.run(() => countRows(world, "entries") === 2, world.clock.now());
    world.kernel.stop();
    await world.run();
    expect(log).toEqual(["finished before the tool returned: false", "revoked", "revoked"]);
    expect(world.kernel.get(NOTES).count).toBe(0);
    expect(results(world)).toMatchObject([{ outcome: "unknown", code: "stopped" }]);
  });

  it("[K-27] a mark alone, before anybody told the invocation, refuses its next commit", async () => {
    const refusals: string[] = [];
    const start = async (run: Run) => {
      await Promise.resolve();
      run.commit((tx) => tx.markAborting(run.id));
      try {
        run.commit((tx) => tx.finish(run.id, "completed"));
      } catch (error) {
        refusals.push(String((error as { code?: string }).code));
      }
    };
    const world = withKind({ phases: { start } });
    const id = await restartWithTask(world);
    expect(refusals).toEqual(["revoked"]);
    expect(world.kernel.receipt(id)?.outcome).toBe("aborted");
  });

  it("[K-27] [B-3] [I-74] a run that was kept may not write once its handler returned", async () => {
    const kept: Run[] = [];
    const start = async (run: Run) => {
      await Promise.resolve();
      kept.push(run);
      run.commit((tx) => tx.setStatus(run.id, { status: "sleeping", until: tx.now + 60_000 }));
    };
    const world = withKind({ phases: { start } });
    world.crash();
    const id = plantTask(world, { kind: TEST_KIND });
    world.start().resume();
    await world.run(() => kept.length === 1, world.clock.now());
    const before = world.control;
    expect(() => kept[0]?.commit((tx) => tx.finish(id, "completed"))).toThrow(/stopped or taken over/);
    expect(() => kept[0]?.task()).toThrow(/stopped or taken over/);
    expect(world.control).toEqual(before);
  });

  it("[K-23] [I-125] [I-127] closing ends all handlers, writes no end and no mark, and the next open goes on", async () => {
    const log: string[] = [];
    const world = started({
      tools: [
        tool("look", async (_input, context) => {
          await untilAborted(context.signal);
          try {
            context.update(NOTES, () => ({ count: 9 }));
          } catch (error) {
            log.push(String((error as { code?: string }).code));
          }
          return { text: "late" };
        }),
      ],
      script: callsOnce("look"),
    });
    send(world, "hi");
    await world.run(() => world.kernel.snapshot().view.turn?.tools[0]?.status === "running", world.clock.now());
    const before = world.control;
    await world.kernel.close();
    expect(log).toEqual(["revoked"]);
    expect(world.control).toEqual(before);
    world.kernel.resume();
    await world.kernel.rest();
    expect(world.control, "a closed kernel stays closed").toEqual(before);
    world.crash();
    await world.run();
    expect(results(world)).toMatchObject([{ outcome: "unknown", code: "interrupted" }]);
    expect(lines(world).at(-1)).toBe("assistant: Done.");
  });

  it("[K-28] [B-16] [I-15] a receipt stays readable, also after a reopen and many later tasks", async () => {
    const world = withKind();
    const id = await restartWithTask(world);
    for (let n = 0; n < 30; n++) {
      send(world, `message ${n}`);
      await world.run();
    }
    world.crash();
    expect(world.start().receipt(id)).toEqual({ task: id, kind: TEST_KIND, outcome: "completed" });
    expect(world.kernel.receipt(999_999)).toBeUndefined();
  });
});

describe("memos", () => {
  it("[K-29] [A-1] [A-2] [I-65] [I-64] the first writer wins, and null is a value", async () => {
    expect.assertions(3);
    await inTask((run) => {
      const memo = (candidate: number | null) => run.commit((tx) => tx.memoOnce(run.id, "a", "m", candidate));
      expect(memo(null)).toBeNull();
      expect(memo(2)).toBeNull();
      const both = run.commit((tx) => [tx.memoOnce(run.id, "a", "n", 1), tx.memoOnce(run.id, "a", "n", 2)]);
      expect(both).toEqual([1, 1]);
    });
  });

  it("[K-29] [A-6] [I-67] one name in two namespaces and two names in one are separate memos", async () => {
    expect.assertions(1);
    await inTask((run) => {
      const memo = (ns: string, name: string, value: number) =>
        run.commit((tx) => tx.memoOnce(run.id, ns, name, value));
      const written = [memo("a", "m", 1), memo("b", "m", 2), memo("a", "n", 3), memo("a", "m", 4), memo("b", "m", 5)];
      expect(written).toEqual([1, 2, 3, 1, 2]);
    });
  });

  it("[K-29] [A-3] [A-4] a memo that was committed is read after a death, one that was not is asked for again", async () => {
    let asked = 0;
    let deaths = 0;
    const world = started({
      tools: [
        tool(
          "ask",
          async (_input, context) => {
            await Promise.resolve();
            const answer = `answer ${++asked}`;
            if (deaths === 0) await new Promise(() => undefined);
            const winner = context.memo("answer", answer);
            if (deaths === 1) await new Promise(() => undefined);
            return { text: JSON.stringify(winner) };
          },
          { replay: "safe" },
        ),
      ],
      script: callsOnce("ask"),
    });
    send(world, "hi");
    for (; deaths < 2; deaths++) {
      await world.run(() => asked > deaths, world.clock.now());
      world.crash();
      world.start().resume();
    }
    await world.run();
    expect(asked).toBe(3);
    expect(results(world)).toEqual([{ outcome: "ok", text: '"answer 2"' }]);
  });

  it("[K-29] [A-5] [A-12] [I-68] [I-69] is gone with its task and appears in no snapshot, envelope or delta", async () => {
    const secret = "a memo for nobody";
    const world = started({
      tools: [
        tool("ask", async (_input, context) => {
          await Promise.resolve();
          context.memo("m", secret);
          expect(countRows(world, "memos")).toBe(1);
          expect(JSON.stringify(world.kernel.snapshot())).not.toContain(secret);
          return { text: "fine" };
        }),
      ],
      script: callsOnce("ask"),
    });
    send(world, "hi");
    await world.run();
    expect(countRows(world, "memos")).toBe(0);
    expect(countRows(world, "slots")).toBe(0);
    expect(JSON.stringify([world.commits, world.deltas, world.kernel.entriesAfter(0, 100)])).not.toContain(secret);
    expect(results(world)).toMatchObject([{ outcome: "ok" }]);
  });

  it("[K-29] a finished task takes no memo any more", async () => {
    const world = withKind();
    const first = await restartWithTask(world);
    world.crash();
    plantTask(world, { kind: "other.kind" });
    expect(countRows(world, "memos")).toBe(0);
    expect(world.start().receipt(first)?.outcome).toBe("completed");
    expect.assertions(4);
    await inTask((run) => {
      const finished = run.id + 1_000;
      expect(() => run.commit((tx) => tx.memoOnce(finished, "a", "m", 1))).toThrow(/is finished/);
      expect(() => run.commit((tx) => tx.slot(finished, 1))).toThrow(/is finished/);
    });
  });
});
