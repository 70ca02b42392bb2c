import { describe, expect, it } from "vitest";
import type { HostTx } from "../../src/kernel/index.ts";
import { settle } from "../kit/kernel-world.ts";
import { decideAll, GATE, registerGate } from "../kit/mini-gate.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { before, callsThen, guarded, park, parkedIn, tasksOf, until } from "./guarded.ts";
import { ANNA, BERT, containing, dump, entriesOf, lines, NOTES, results, send, tool } from "./make.ts";

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

  it("[T-34] a call that a plugin makes again runs outside of any turn, through the handlers, by its own place", async () => {
    const { world, runs } = await waiting();
    decideAll(world.kernel, "approved");
    await world.run();
    const [answer] = entriesOf(world, "core.assistant");
    const again = (entry: number, index: number) =>
      world.kernel.commit((tx) => tx.callAgain({ entry, index, actor: ANNA, meta: null }));
    expect(() => again(answer?.id ?? 0, 1)).toThrow("holds no call 1");
    expect(() => again(999, 0)).toThrow("holds no call 0");
    again(answer?.id ?? 0, 0);
    await until(world, () => parkedIn(world) !== undefined);
    expect(world.control.turn).toBeNull();
    world.crash();
    world.start().resume();
    decideAll(world.kernel, "approved");
    await world.run();
    expect(runs).toEqual([{ n: 1 }, { n: 1 }]);
    expect(results(world)).toHaveLength(1);
    expect(lines(world).slice(-2)[0]).toContain("The call of work that was waiting has run");
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
