import { describe, expect, it, vi } from "vitest";
import { initialControl } from "../../src/kernel/state/control.ts";
import { type AlarmState, decideAlarm, LINGER_MS, nextDue } from "../../src/kernel/state/due.ts";
import type { Task, TaskStatus } from "../../src/kernel/state/task.ts";
import { KernelWorld, settle } from "../kit/kernel-world.ts";
import { decideAll, registerGate } from "../kit/mini-gate.ts";
import { NodeStorage } from "../kit/node-storage.ts";
import { untilAborted } from "../kit/scripted-model.ts";
import { entriesOf, lines, NOTES, results, send, tool } from "./make.ts";
import { started } from "./started.ts";

// Long histories on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const NOW = 1_000_000;

function task(id: number, status: TaskStatus, kind = "known", aborting = false): Task {
  return { id, kind, input: null, checkpoint: { phase: "x" }, aborting, background: false, ...status };
}

const row = (due: number) => ({ key: `k${due}`, target: "t", stamp: 1, due, attempts: 0, createdAt: 0 });

describe("what is due", () => {
  const cases: readonly (readonly [string, readonly Task[], readonly number[], number | null])[] = [
    ["nothing", [], [], null],
    ["a pending task", [task(1, { status: "pending" })], [], 0],
    ["a running task", [task(1, { status: "running" })], [], 0],
    ["a sleeping task", [task(1, { status: "sleeping", until: 5 })], [], 5],
    ["a parked task with a deadline", [task(1, { status: "parked", waitingOn: "x", deadline: 7 })], [], 7],
    ["a parked task without one", [task(1, { status: "parked", waitingOn: "x", deadline: null })], [], null],
    ["a task that waits for others", [task(1, { status: "waiting", tasks: [2] })], [], null],
    ["an undelivered row", [], [9], 9],
    ["the earliest of several", [task(1, { status: "sleeping", until: 5 })], [9, 3], 3],
    ["a task without its code", [task(1, { status: "pending" }, "unknown")], [], null],
    ["a stopped task without its code", [task(1, { status: "running" }, "unknown", true)], [], 0],
  ];

  it.each(cases)("[K-30] %s", (_name, tasks, rows, due) => {
    const control = initialControl(null, 0);
    control.tasks = Object.fromEntries(tasks.map((one) => [String(one.id), one]));
    control.outbox = rows.map(row);
    expect(nextDue(control, (kind) => kind === "known")).toBe(due);
  });

  const idle: AlarmState = { at: null, covering: false };
  const joined: AlarmState = { at: null, covering: true };
  const armed = (at: number): AlarmState => ({ at, covering: false });
  const decisions: readonly (readonly [string, number | null, AlarmState, ReturnType<typeof decideAlarm>])[] = [
    ["nothing due, no alarm", null, idle, { kind: "keep" }],
    ["nothing due, an alarm to come", null, armed(NOW + 1), { kind: "delete" }],
    ["nothing due, an alarm about to fire", null, armed(NOW), { kind: "keep" }],
    ["due now, no alarm", 0, idle, { kind: "set", at: NOW }],
    ["due now, an alarm about to fire", 0, armed(NOW - 5), { kind: "keep" }],
    ["due now, a later alarm", 0, armed(NOW + 1), { kind: "set", at: NOW }],
    ["due now, a handler has joined", 0, joined, { kind: "keep" }],
    ["due as long as the loop lingers, a handler has joined", NOW + LINGER_MS, joined, { kind: "keep" }],
    [
      "due later than that, a handler has joined",
      NOW + LINGER_MS + 1,
      joined,
      { kind: "set", at: NOW + LINGER_MS + 1 },
    ],
    ["due soon, no alarm", NOW + 1, idle, { kind: "set", at: NOW + 1 }],
    ["due later, an earlier alarm", NOW + 9, armed(NOW + 8), { kind: "keep" }],
    ["due later, an alarm for then", NOW + 9, armed(NOW + 9), { kind: "keep" }],
    ["due later, a later alarm", NOW + 9, armed(NOW + 10), { kind: "set", at: NOW + 9 }],
  ];

  it.each(decisions)("[K-34] [E-4] %s", (_name, due, alarm, change) => {
    expect(decideAlarm(due, alarm, NOW)).toEqual(change);
  });
});

describe("the alarm", () => {
  it("[K-30] brings a turn to its end alone, after a death with no client coming back", async () => {
    const world = started({
      script: (_request, nth) => (nth === 0 ? { text: "He", between: untilAborted } : { text: "Hello." }),
    });
    send(world, "hi");
    await world.run(() => world.model.requests.length === 1);
    world.crash();
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
  });

  it("[K-30] [K-31] [E-11] [R-10] a sleeping turn is left to an alarm for just then, and an idle conversation has none", async () => {
    const world = started({
      script: (_request, nth) => (nth === 0 ? { error: { retryAfterMs: 60_000 } } : { text: "Hello." }),
    });
    send(world, "hi");
    await world.run(() => false, world.clock.now());
    const until = world.clock.now() + 60_000;
    expect(world.alarm.armedFor).toBe(until);
    expect(world.clock.nextTimer(), "nothing stays in memory").toBeUndefined();
    world.crash();
    await world.run();
    expect(world.clock.now()).toBe(until);
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
    expect(world.alarm.armedFor).toBeNull();
  });

  it("[K-30] what becomes due while a handler runs is not kept waiting for it", async () => {
    const gate = Promise.withResolvers<{ text: string }>();
    const world = started({
      tools: [tool("look", () => gate.promise)],
      script: (_request, nth) => (nth === 0 ? { calls: [{ name: "look", args: "{}" }] } : { text: "Done." }),
    });
    send(world, "go");
    await settle();
    const sentAt = world.clock.now();
    world.kernel.commit((tx) => tx.send({ key: "k", target: "t", payload: 1, afterMs: 700 }));
    await world.pass(699);
    expect(world.delivered).toEqual([]);
    await world.run(() => world.delivered.length > 0);
    expect(world.clock.now()).toBe(sentAt + 700);
    expect(world.kernel.snapshot().view.turn?.tools[0]?.status).toBe("running");
    gate.resolve({ text: "a tree" });
    await world.run();
    expect(lines(world).at(-1)).toBe("assistant: Done.");
  });

  it("[K-30] [E-4] work that begins after its handler armed a later alarm is covered anew", async () => {
    let mayPass = false;
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const startedAt = 4_000_000_000_000;
    const deadline = startedAt + 86_400_000;
    const world = started({
      tools: [tool("look", () => new Promise(() => undefined))],
      script: (_request, nth) => (nth === 0 ? { calls: [{ name: "look", args: "{}" }] } : { text: "Done." }),
      deliver: (row) =>
        Promise.resolve(row.attempts === 0 ? { status: "retry", error: "busy", afterMs: 60_000 } : { status: "sent" }),
      register: (registry) => {
        const beforeTool = async () => {
          if (!mayPass) return { kind: "park", deadline, pendingText: "It waits." } as const;
          await gate;
          return { kind: "pass" } as const;
        };
        registry.hooks(NOTES, { beforeTool });
      },
    });
    expect(world.clock.now()).toBe(startedAt);
    send(world, "go");
    world.kernel.commit((tx) => tx.send({ key: "k", target: "t", payload: 1 }));
    await world.run(() => false, startedAt);
    mayPass = true;
    world.crash();
    await world.run(() => world.delivered.length === 2 && world.control.outbox.length === 0);
    expect(world.alarm.armedFor, "the handler of the delivery leaves the deadline's alarm").toBe(deadline);
    release();
    await world.run(() => world.kernel.snapshot().view.turn?.tools[0]?.status === "running", world.clock.now());
    expect(world.alarm.covers(world.clock.now())).toBe(true);
    world.crash();
    await world.run(() => world.control.turn === null, world.clock.now());
    expect(results(world)).toMatchObject([{ outcome: "unknown" }]);
  });

  it("[K-31] a conversation that waits for a person without a deadline has no alarm", async () => {
    const world = started({
      tools: [tool("look", () => Promise.resolve({ text: "x" }))],
      register: (registry, kernel) => registerGate(registry, kernel, "look"),
      script: (_request, nth) => (nth === 0 ? { calls: [{ name: "look", args: "{}" }] } : { text: "Done." }),
    });
    send(world, "hi");
    await world.run();
    expect(world.control.turn).not.toBeNull();
    expect(world.alarm.armedFor).toBeNull();
    expect(world.clock.nextTimer()).toBeUndefined();
    world.crash();
    await world.run();
    expect(world.alarm.armedFor, "nor after a reopen").toBeNull();
    decideAll(world.kernel, "approved");
    await world.run();
    expect(lines(world).at(-1)).toBe("assistant: Done.");
    expect(world.alarm.armedFor).toBeNull();
  });

  it("[K-31] a failed turn with messages still queued has no alarm", async () => {
    const world = started({ script: () => ({ error: { retryable: false } }) });
    send(world, "hi");
    send(world, "later", { mode: "queue" });
    await world.run();
    expect(world.control.inbox).toHaveLength(1);
    expect(world.alarm.armedFor).toBeNull();
  });

  it("[K-32] joins the running loop and returns when nothing is due within seconds", async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = started({ script: () => ({ text: "Hello.", between: () => gate }) });
    send(world, "hi");
    await settle();
    let isOver = false;
    const alarm = world.kernel.onAlarm(0).then(() => {
      isOver = true;
    });
    await settle();
    expect(world.model.requests, "one loop").toHaveLength(1);
    expect(isOver).toBe(false);
    release();
    await alarm;
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
  });

  it("[K-32] waits out what is due within three seconds, and leaves the rest to the next one", async () => {
    const world = started({ script: (_request, nth) => (nth < 2 ? { error: {} } : { text: "Hello." }) });
    send(world, "hi");
    world.alarm.begin();
    let isOver = false;
    const alarm = world.kernel.onAlarm(0).then(() => {
      isOver = true;
    });
    await settle();
    expect(isOver, "2 s are waited out").toBe(false);
    world.clock.advanceTo(world.clock.now() + 2_000);
    await alarm;
    expect(world.model.requests).toHaveLength(2);
    expect(world.alarm.armedFor, "4 s are not").toBe(world.clock.now() + 4_000);
  });

  it("[K-32] stays ten minutes at most and leaves an alarm due now behind", async () => {
    const world = started({
      tools: [tool("look", () => new Promise(() => undefined), { timeoutMs: 3_600_000, replay: "safe" })],
      script: (_request, nth) => (nth === 0 ? { calls: [{ name: "look", args: "{}" }] } : { text: "Done." }),
    });
    const startedAt = world.clock.now();
    send(world, "hi");
    await world.run(() => world.clock.now() >= startedAt + 600_000);
    expect(world.alarm.sets).toBe(2);
    await world.run();
    expect(results(world)).toMatchObject([{ outcome: "error", code: "timeout" }]);
    expect(world.clock.now() - startedAt).toBe(3_605_000);
    expect(world.alarm.sets, "once at admission, then each ten minutes").toBe(7);
  });

  it("[K-33] [E-10] never throws and, called again and again after deaths, arms a later alarm and returns", async () => {
    const world = started();
    send(world, "hi");
    world.mayWakeLate = true;
    const pauses: number[] = [];
    for (const retryCount of [3, 4, 5, 6, 7, 30]) {
      world.crash();
      world.clock.advanceTo(world.alarm.armedFor ?? 0);
      world.alarm.begin();
      world.start();
      await world.kernel.onAlarm(retryCount);
      pauses.push((world.alarm.armedFor ?? 0) - world.clock.now());
      expect(world.model.requests, "it does not spend").toEqual([]);
    }
    expect(pauses).toEqual([40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
  });

  it("[K-33] the first repeats run the loop like any other alarm", async () => {
    const world = started();
    send(world, "hi");
    world.crash();
    world.start();
    world.alarm.begin();
    await world.kernel.onAlarm(2);
    world.alarm.end();
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
    expect(world.alarm.armedFor).toBeNull();
  });

  it("[K-33] does not throw when storage fails; the kernel then says that it is lost", async () => {
    const storage = new NodeStorage();
    const world = new KernelWorld(storage);
    world.start();
    send(world, "hi");
    const { transactionSync } = storage;
    storage.transactionSync = (closure) => {
      transactionSync.call(storage, closure);
      throw new Error("disk full");
    };
    await expect(world.kernel.onAlarm(0)).resolves.toBeUndefined();
    expect(world.kernel.isLost).toBe(true);
    expect(world.reports.map((report) => report.event)).toContain("alarm.rearm_failed");
  });

  it("[K-35] [E-9] an alarm delivered twice, at once and again later, has each effect once", async () => {
    let effects = 0;
    const world = started({
      tools: [
        tool("look", async () => {
          await Promise.resolve();
          effects++;
          return { text: "x" };
        }),
      ],
      script: (_request, nth) => (nth === 0 ? { calls: [{ name: "look", args: "{}" }] } : { text: "Done." }),
    });
    send(world, "hi");
    world.crash();
    world.start();
    await Promise.all([world.kernel.onAlarm(0), world.kernel.onAlarm(0)]);
    await world.kernel.onAlarm(0);
    expect(effects).toBe(1);
    expect(world.model.requests).toHaveLength(2);
    expect(entriesOf(world, "core.assistant")).toHaveLength(2);
  });

  it("[K-43] after 40 calls to the outside the loop goes on in an event of its own", async () => {
    const outside: number[] = [];
    let calls = 0;
    const world = started({
      deliver: async () => {
        await Promise.resolve();
        calls++;
        return { status: "sent" };
      },
    });
    world.kernel.commit((tx) => {
      for (let n = 0; n < 100; n++) tx.send({ key: `k${n}`, target: "t", payload: n });
    });
    for (let event = 0; event < 4; event++) {
      await world.kernel.rest();
      outside.push(calls);
      calls = 0;
      expect(world.alarm.armedFor).toBe(event < 2 ? world.clock.now() : null);
      world.alarm.begin();
      await world.kernel.onAlarm(0);
      world.alarm.end();
    }
    expect(outside).toEqual([40, 40, 20, 0]);
  });

  it("[K-43] parallel tools never make more calls than an event may", async () => {
    const perEvent = [0];
    const count = () => {
      perEvent[perEvent.length - 1] = (perEvent.at(-1) ?? 0) + 1;
    };
    const world = started({
      tools: [
        tool("look", async () => {
          await Promise.resolve();
          count();
          return { text: "x" };
        }),
      ],
      register: (registry) => {
        registry.hooks(NOTES, {
          beforeTool: () => new Promise((resolve) => setImmediate(() => resolve({ kind: "pass" }))),
        });
      },
      script: (_request, nth) => {
        count();
        return nth < 3
          ? { calls: Array.from({ length: 15 }, () => ({ name: "look", args: "{}" })) }
          : { text: "Done." };
      },
    });
    send(world, "hi");
    await world.kernel.rest();
    while (world.control.turn) {
      perEvent.push(0);
      world.alarm.begin();
      await world.kernel.onAlarm(0);
      world.alarm.end();
    }
    expect(Math.max(...perEvent)).toBeLessThanOrEqual(40);
    expect(perEvent.length).toBeGreaterThan(1);
    expect(lines(world).at(-1)).toBe("assistant: Done.");
  });
});
