import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type BeforeTool, CallRefused, defineTool, type HostTx, type PendingCall } from "../../src/kernel/index.ts";
import type { Hooks } from "../../src/kernel/registry/hooks.ts";
import type { Json } from "../../src/lib/json.ts";
import { type KernelWorld, settle } from "../kit/kernel-world.ts";
import { decideAll, GATE, registerGate } from "../kit/mini-gate.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { callsThen, guarded } from "./guarded.ts";
import { ANNA, BERT, containing, dump, entriesOf, lines, NOTES, results, send, tool } from "./make.ts";

const until = (world: KernelWorld, condition: () => boolean) => world.run(condition, world.clock.now());
const tasksOf = (world: KernelWorld) => Object.values(world.control.tasks);
const parkedIn = (world: KernelWorld) => tasksOf(world).find((task) => task.status === "parked");

const before = (decide: (call: PendingCall) => BeforeTool | Promise<BeforeTool>): Hooks => ({
  beforeTool: async (call) => await decide(call),
});

const pass: BeforeTool = { kind: "pass" };
const park = (changes: Partial<Extract<BeforeTool, { kind: "park" }>> = {}): BeforeTool => ({
  kind: "park",
  deadline: null,
  pendingText: "It waits for a person.",
  ...changes,
});

describe("handlers before a tool", () => {
  it("[T-30] change the arguments one after the other, each seeing what came before", async () => {
    const seen: Json[] = [];
    const add = (n: number) =>
      before(({ input }) => {
        seen.push(input);
        return { kind: "pass", input: { n: (input as { n: number }).n + n } };
      });
    const { world, runs } = guarded([add(10), before(() => pass), add(100)]);
    send(world, "go");
    await world.run();
    expect(seen).toEqual([{ n: 1 }, { n: 11 }]);
    expect(runs).toEqual([{ n: 111 }]);
    expect(entriesOf(world, "core.assistant")[0]?.message).toMatchObject({ content: [{ args: '{"n":1}' }] });
  });

  it("[T-30] changed arguments are validated again", async () => {
    const strict = defineTool({
      name: "work",
      description: "Works.",
      input: z.object({ n: z.number().max(5) }),
      execute: () => Promise.reject(new Error("must not run")),
    });
    const { world } = guarded([before(() => ({ kind: "pass", input: { n: 6 } }))], { tools: [strict] });
    send(world, "go");
    await world.run();
    expect(results(world)).toEqual([{ outcome: "error", code: "invalid_arguments", text: containing("do not fit") }]);
  });

  it("[T-30] changed arguments reach the tool as its schema reads them", async () => {
    const seen: Json[] = [];
    const lenient = defineTool({
      name: "work",
      description: "Works.",
      input: z.object({ n: z.number(), mode: z.string().default("fast") }),
      execute: (input) => {
        seen.push(input);
        return Promise.resolve({ text: "worked" });
      },
    });
    const { world } = guarded([before(() => ({ kind: "pass", input: { n: 2, unknown: true } }))], { tools: [lenient] });
    send(world, "go");
    await world.run();
    expect(seen).toEqual([{ n: 2, mode: "fast" }]);
  });

  it("[T-30] a block ends the call with its text, and later handlers are not asked", async () => {
    let asked = 0;
    const { world, runs } = guarded([
      before(() => ({ kind: "block", code: "denied", text: "Never.", decidedBy: "p_owner" })),
      before(() => {
        asked++;
        return pass;
      }),
    ]);
    send(world, "go");
    await world.run();
    expect(results(world)).toEqual([{ outcome: "blocked", code: "denied", text: "Never." }]);
    expect(entriesOf(world, "core.tool_result")[0]?.data).toMatchObject({ decidedBy: "p_owner" });
    expect([asked, runs]).toEqual([0, []]);
  });

  it("[T-30] a throw blocks the call, saying so", async () => {
    const { world, runs } = guarded([
      before(() => {
        throw new Error("directory down");
      }),
    ]);
    send(world, "go");
    await world.run();
    expect(results(world)).toEqual([{ outcome: "blocked", code: "check_failed", text: containing("directory down") }]);
    expect(runs).toEqual([]);
    expect(lines(world).at(-1)).toBe("assistant: answer 1");
  });

  it("[T-32] `onStarted` is part of the `started` commit, and the approval is told with the result", async () => {
    const { world } = guarded([
      before(() => ({
        kind: "allow",
        approval: { by: "p_owner", note: "Approved by the owner." },
        onStarted: (tx) => tx.set(NOTES, { count: tx.get(NOTES).count + 1 }),
      })),
    ]);
    send(world, "go");
    await world.run();
    const frame = world.commits.find((one) => one.events.some((event) => event.type === "tool.started"));
    expect(frame?.ops).toContainEqual(["s", ["plugins", "notes", "count"], 1]);
    expect(results(world)).toEqual([{ outcome: "ok", text: "Approved by the owner.|worked" }]);
    expect(entriesOf(world, "core.tool_result")[0]?.data).toMatchObject({ decidedBy: "p_owner" });
  });

  it.each([
    ["refuses the call", new CallRefused("changed", "It changed since it was shown."), "blocked", "changed"],
    ["breaks", new Error("broken gate"), "error", "fault"],
  ])("[T-32] an `onStarted` that %s leaves nothing of the commit standing", async (_name, error, outcome, code) => {
    const { world, runs } = guarded([
      before(() => ({
        kind: "allow",
        onStarted: (tx) => {
          tx.set(NOTES, { count: 1 });
          throw error;
        },
      })),
    ]);
    send(world, "go");
    await world.run();
    expect(world.kernel.get(NOTES).count).toBe(0);
    expect(runs).toEqual([]);
    expect(results(world)).toEqual([{ outcome, code, text: containing(error.message) }]);
    expect(world.commits.flatMap((frame) => frame.events.map((event) => event.type))).not.toContain("tool.started");
    expect(lines(world).at(-1)).toBe("assistant: answer 1");
  });

  it("[T-30] parking may be refused by who is to remember it", async () => {
    const onParked = () => {
      throw new CallRefused("too_many", "Fifty cards are open already.");
    };
    const { world } = guarded([before(() => park({ onParked }))]);
    send(world, "go");
    await world.run();
    expect(results(world)).toEqual([{ outcome: "blocked", code: "too_many", text: "Fifty cards are open already." }]);
  });
});

describe("parked calls", () => {
  it("[T-31] [A-7] [A-8] wait visibly, and a wake runs the handlers again", async () => {
    let decision: BeforeTool = park();
    let asked = 0;
    const { world, runs } = guarded([
      before(() => {
        asked++;
        return decision;
      }),
    ]);
    send(world, "go");
    await world.run();
    const task = parkedIn(world);
    expect(world.kernel.snapshot().view.turn).toMatchObject({
      stage: "waiting",
      tools: [{ status: "waiting", waitingOn: "notes" }],
    });
    expect(world.commits.at(-1)?.events).toEqual([{ type: "tool.waiting", task: task?.id, on: "notes" }]);
    expect(world.kernel.commit((tx) => tx.wake(task?.id ?? 0))).toBe(true);
    await world.run();
    expect([asked, runs.length], "still undecided: it waits again").toEqual([2, 0]);
    decision = pass;
    world.kernel.commit((tx) => tx.wake(task?.id ?? 0));
    expect(world.kernel.snapshot().view.turn?.tools[0]?.waitingOn).toBeUndefined();
    await world.run();
    expect([asked, runs.length]).toEqual([3, 1]);
    expect(
      world.kernel.commit((tx) => tx.wake(task?.id ?? 0)),
      "what is finished does not wake",
    ).toBe(false);
  });

  it("[T-31] [A-11] [E-20] a reopen runs the handlers again, and what was decided meanwhile counts", async () => {
    let asked = 0;
    const { world, runs } = guarded([
      before(() => {
        asked++;
        return world.kernel.get(NOTES).count > 0 ? pass : park();
      }),
    ]);
    send(world, "go");
    await world.run();
    const { rev } = world.kernel.snapshot();
    world.crash();
    world.start().resume();
    await world.run();
    expect([asked, runs.length]).toEqual([2, 0]);
    expect(world.kernel.snapshot().rev, "and says nothing when nothing changed").toBe(rev);
    world.kernel.commit((tx) => tx.set(NOTES, { count: 1 }));
    world.crash();
    world.start().resume();
    await world.run();
    expect([asked, runs.length]).toEqual([3, 1]);
  });

  it("[T-31] a deadline runs the handlers again at its time, alone, and a call that would wait past it expires", async () => {
    const asked: number[] = [];
    const { world, runs } = guarded([
      before(() => {
        asked.push(world.clock.now());
        return park({ deadline: startedAt + 3_600_000 });
      }),
    ]);
    const startedAt = world.clock.now();
    send(world, "go");
    await until(world, () => false);
    expect(world.alarm.armedFor).toBe(startedAt + 3_600_000);
    world.crash();
    await world.run();
    expect(asked).toEqual([startedAt, startedAt + 3_600_000]);
    expect(results(world)).toEqual([{ outcome: "blocked", code: "expired", text: containing("is over") }]);
    expect(runs).toEqual([]);
    expect(lines(world).at(-1)).toBe("assistant: answer 1");
    expect(world.alarm.armedFor).toBeNull();
  });

  it("[T-31] a deadline that has passed already expires the call without parking it", async () => {
    const { world } = guarded([before(() => park({ deadline: world.clock.now() }))]);
    send(world, "go");
    await until(world, () => world.control.turn === null);
    expect(results(world)).toMatchObject([{ outcome: "blocked", code: "expired" }]);
  });

  it("[T-31] a deadline moved by a handler moves the alarm", async () => {
    let deadline = 10_000_000;
    const { world } = guarded([before(() => park({ deadline: startedAt + deadline }))]);
    const startedAt = world.clock.now();
    send(world, "go");
    await until(world, () => false);
    deadline = 5_000_000;
    world.kernel.commit((tx) => tx.wake(parkedIn(world)?.id ?? 0));
    await until(world, () => false);
    expect(world.alarm.armedFor).toBe(startedAt + 5_000_000);
  });

  it("[T-31] [R-14] a decision between the handlers' look and the parking is not lost", async () => {
    let asked = 0;
    const { world, runs } = guarded([
      before(async () => {
        asked++;
        const { count } = world.kernel.get(NOTES);
        await Promise.resolve();
        if (asked === 1) world.kernel.commit((tx) => tx.set(NOTES, { count: 1 }));
        return count > 0 ? pass : park({ onParked: (tx) => (tx.get(NOTES).count > 0 ? "again" : undefined) });
      }),
    ]);
    send(world, "go");
    await world.run();
    expect([asked, runs.length]).toEqual([2, 1]);
    expect(world.commits.flatMap((frame) => frame.events.map((event) => event.type))).not.toContain("tool.waiting");
  });

  it("[T-31] a wake while the handlers look once more after a reopen is not lost", async () => {
    let open = false;
    let release: () => void = () => undefined;
    let gate: Promise<void> = Promise.resolve();
    const { world, runs } = guarded([
      before(async () => {
        const seen = open;
        await gate;
        return seen ? pass : park();
      }),
    ]);
    send(world, "go");
    await world.run();
    gate = new Promise((resolve) => {
      release = resolve;
    });
    world.crash();
    world.start().resume();
    await settle();
    open = true;
    expect(world.kernel.commit((tx) => tx.wake(parkedIn(world)?.id ?? 0))).toBe(true);
    release();
    await world.run();
    expect(runs).toHaveLength(1);
  });

  it("[T-31] what parks while the process dies before the commit asks again", async () => {
    let asked = 0;
    const { world, runs } = guarded([
      before(async () => {
        if (++asked === 1) await new Promise(() => undefined);
        return asked === 2 ? park() : pass;
      }),
    ]);
    send(world, "go");
    await until(world, () => asked === 1);
    world.crash();
    await world.run();
    expect(parkedIn(world)).toBeDefined();
    world.kernel.commit((tx) => tx.wake(parkedIn(world)?.id ?? 0));
    await world.run();
    expect(runs).toHaveLength(1);
  });
});

describe("calls that are let go", () => {
  /** Anna's turn waits on `work`, gated. */
  async function waiting(options: WorldOptions = {}) {
    const { world, runs } = guarded([], {
      ...options,
      register: (registry, kernel) => {
        registerGate(registry, kernel, "work");
        options.register?.(registry, kernel);
      },
    });
    send(world, "go");
    await until(world, () => parkedIn(world) !== undefined);
    return { world, runs };
  }

  it("[T-33] [T-34] the speaker's next message steers the turn, and a late approval runs the stored call once", async () => {
    const { world, runs } = await waiting();
    const { rev } = world.kernel.snapshot();
    expect(send(world, "never mind, what time is it?")).toMatchObject({ value: { status: "queued" } });
    const frame = world.commits.find((one) => one.rev === rev + 1);
    expect(frame?.events.map((event) => event.type)).toEqual(["input.queued", "tool.finished"]);
    await world.run();
    expect(lines(world).slice(1)).toEqual([
      "assistant: call work",
      "tool_result: It waits for approval.",
      "user: never mind, what time is it?",
      "assistant: answer 1",
    ]);
    expect(results(world)).toMatchObject([{ outcome: "pending", code: "pending" }]);
    expect(world.control.turn).toBeNull();
    expect(world.kernel.snapshot().view.tasks).toEqual({
      [tasksOf(world)[0]?.id ?? 0]: { kind: "core.call", status: { phase: "check" } },
    });
    expect(world.alarm.armedFor).toBeNull();

    expect(decideAll(world.kernel, "approved")).toBe(1);
    await world.run();
    expect(runs).toEqual([{ n: 1 }]);
    expect(results(world), "no second result of the call").toHaveLength(1);
    expect(lines(world).slice(5)).toEqual([
      "notice: [System] The call of work that was waiting has run. Decided by owner. What follows is its result:|Approved.|worked",
      "assistant: answer 2",
    ]);
    expect(world.kernel.snapshot().view.tasks).toEqual({});
    expect(tasksOf(world)).toEqual([]);
  });

  it("[T-33] [C-22] the request that follows has exactly one result for the call", async () => {
    const { world } = await waiting();
    send(world, "and now?");
    await world.run();
    decideAll(world.kernel, "approved");
    await world.run();
    for (const request of world.model.requests) {
      const tools = request.messages.filter((message) => message.role === "tool");
      expect(new Set(tools.map((message) => message.callId)).size).toBe(tools.length);
    }
    expect(world.model.requests.at(-1)?.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
      "assistant",
      "user",
    ]);
  });

  it.each([
    ["another speaker's message", { actor: BERT }],
    ["a message that asks to queue", { mode: "queue" }],
  ] as const)("[T-33] %s leaves the call where it is", async (_name, changes) => {
    const { world } = await waiting();
    send(world, "more", changes);
    await world.run();
    expect(parkedIn(world)?.kind).toBe("core.tool");
    expect(world.control.inbox).toHaveLength(1);
    expect(results(world)).toEqual([]);
  });

  it("[T-33] a message that came while another call still ran lets go when that one is done", async () => {
    const wait = () => world.clock.wait(world.clock.now() + 1_000, new AbortController().signal);
    const slow = tool("slow", async () => {
      await wait();
      return { text: "slow one" };
    });
    const { world } = guarded([], {
      tools: [slow, tool("work", () => Promise.resolve({ text: "worked" }))],
      script: callsThen("slow", "work"),
      register: (registry, kernel) => registerGate(registry, kernel, "work"),
    });
    send(world, "go");
    await until(world, () => parkedIn(world) !== undefined);
    send(world, "hurry up");
    expect(parkedIn(world)?.kind, "one call runs: nothing is let go yet").toBe("core.tool");
    await world.run();
    expect(results(world).map((one) => one.outcome)).toEqual(["ok", "pending"]);
    expect(lines(world).slice(-2)).toEqual(["user: hurry up", "assistant: answer 1"]);
  });

  it("[T-33] a message that came before the call waited lets it go at once", async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { world } = guarded([
      before(async () => {
        await gate;
        return park();
      }),
    ]);
    send(world, "go");
    await until(world, () => tasksOf(world).length === 2);
    send(world, "hurry up");
    release();
    await world.run();
    expect(results(world).map((one) => one.outcome)).toEqual(["pending"]);
    expect(lines(world).slice(-2)).toEqual(["user: hurry up", "assistant: answer 1"]);
    expect(parkedIn(world)?.kind).toBe("core.call");
  });

  it("[T-33] a message withdrawn before that leaves the call where it is", async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { world } = guarded([
      before(async () => {
        await gate;
        return park();
      }),
    ]);
    send(world, "go");
    await until(world, () => tasksOf(world).length === 2);
    send(world, "hurry up");
    expect(world.kernel.withdraw(`${ANNA}:hurry up`)).toBe("aborted");
    release();
    await world.run();
    expect(parkedIn(world)?.kind).toBe("core.tool");
  });

  it("[T-33] what parked for it is moved to the new task in the same commit", async () => {
    const log: string[] = [];
    const { world } = await waiting({
      register: (registry) => {
        registry.hooks(NOTES, {
          detached: (_tx: HostTx, { from, to }) => void log.push(`detached ${from} ${to}`),
          settled: (_tx: HostTx, { task, outcome }) => void log.push(`settled ${task} ${outcome}`),
        });
      },
    });
    const from = parkedIn(world)?.id;
    send(world, "never mind");
    const to = parkedIn(world)?.id;
    expect(log).toEqual([`detached ${from} ${to}`, `settled ${from} pending`]);
    decideAll(world.kernel, "declined");
    await world.run();
    expect(log.slice(2)).toEqual([`settled ${to} blocked`]);
    expect(lines(world)).toContain(
      "notice: [System] The call of work that was waiting did not run. Decided by owner. What follows is its result:|The call was declined.",
    );
  });

  it("[T-33] a handler that looks once more at a call meanwhile let go does no harm", async () => {
    let release: () => void = () => undefined;
    let gate: Promise<void> = Promise.resolve();
    const { world } = guarded([
      before(async ({ detached }) => {
        if (!detached) await gate;
        return park();
      }),
    ]);
    send(world, "go");
    await world.run();
    gate = new Promise((resolve) => {
      release = resolve;
    });
    world.crash();
    world.start().resume();
    await settle();
    send(world, "never mind");
    release();
    await world.run();
    expect(results(world).map((one) => one.outcome)).toEqual(["pending"]);
    expect(world.reports.filter((report) => report.event === "task.faulted")).toEqual([]);
  });

  it("[T-33] [T-34] keeps its deadline, and tells that it expired", async () => {
    const startedAt = 4_000_000_000_000;
    const { world, runs } = guarded([before(() => park({ deadline: startedAt + 86_400_000 }))]);
    expect(world.clock.now()).toBe(startedAt);
    send(world, "go");
    await until(world, () => parkedIn(world) !== undefined);
    send(world, "never mind");
    await until(world, () => false);
    expect(world.control.turn).toBeNull();
    expect(world.alarm.armedFor).toBe(startedAt + 86_400_000);
    world.crash();
    await world.run();
    expect(world.clock.now()).toBe(startedAt + 86_400_000);
    expect(runs).toEqual([]);
    expect(lines(world).slice(-2)).toEqual([containing("did not run"), "assistant: answer 2"]);
    expect(world.alarm.armedFor).toBeNull();
  });

  it("[T-34] a result that comes while a turn runs waits for its end", async () => {
    const { world, runs } = await waiting({
      script: (_request, nth) => {
        if (nth === 0) return { calls: [{ name: "work", args: '{"n":1}' }] };
        return nth === 1 ? { text: "long answer", between: () => gate } : { text: `answer ${nth}` };
      },
    });
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    send(world, "tell me something long");
    await until(world, () => world.model.requests.length === 2);
    decideAll(world.kernel, "approved");
    await until(world, () => world.control.inbox.length === 1);
    expect(runs).toHaveLength(1);
    expect(world.control.turn?.inputs).toEqual([`${ANNA}:go`, `${ANNA}:tell me something long`]);
    release();
    await world.run();
    expect(lines(world).slice(-3)).toEqual([
      "assistant: long answer",
      containing("notice: [System]"),
      "assistant: answer 2",
    ]);
  });

  it("[T-34] a result that comes while the next turn waits for another decision does not end that waiting", async () => {
    const callWork = { calls: [{ name: "work", args: '{"n":1}' }] };
    const { world, runs } = await waiting({
      script: (_request, nth) => (nth === 0 || nth === 2 ? callWork : { text: `answer ${nth}` }),
    });
    send(world, "never mind");
    await until(world, () => world.control.turn === null);
    const letGo = String(parkedIn(world)?.id);
    send(world, "and now this");
    await until(world, () => tasksOf(world).filter((task) => task.status === "parked").length === 2);
    world.kernel.commit((tx) => {
      tx.set(GATE, { calls: { ...tx.get(GATE).calls, [letGo]: "approved" } });
      tx.wake(Number(letGo));
    });
    await world.run();
    expect(runs).toHaveLength(1);
    expect(world.control.inbox.map((item) => item.mode)).toEqual(["queue"]);
    expect(parkedIn(world)?.kind).toBe("core.tool");
    decideAll(world.kernel, "approved");
    await world.run();
    expect(lines(world).slice(-5)).toEqual([
      "assistant: call work",
      "tool_result: Approved.|worked",
      "assistant: answer 3",
      containing("notice: [System] The call of work"),
      "assistant: answer 4",
    ]);
  });

  it("[T-34] an unsafe call let go that dies under way is told as interrupted, once", async () => {
    let runs = 0;
    const dying = tool("work", async () => {
      if (++runs === 1) await new Promise(() => undefined);
      return { text: "worked" };
    });
    const { world } = await waiting({ tools: [dying] });
    send(world, "never mind");
    await until(world, () => world.control.turn === null);
    decideAll(world.kernel, "approved");
    await until(world, () => runs === 1);
    world.crash();
    await world.run();
    expect(runs).toBe(1);
    const notices = entriesOf(world, "core.notice");
    expect(notices).toHaveLength(1);
    expect(lines(world).at(-2)).toContain("was interrupted");
  });

  it("[T-34] a stop of the turn leaves calls that were let go where they are", async () => {
    const { world } = await waiting();
    send(world, "never mind");
    await until(world, () => world.model.requests.length === 2);
    const stopped = world.kernel.stop();
    await world.run();
    expect(parkedIn(world)?.kind).toBe("core.call");
    const before = dump(world);
    expect(world.kernel.stop()).toBe(false);
    expect(dump(world)).toBe(before);
    expect(stopped || world.control.turn === null).toBe(true);
  });
});
