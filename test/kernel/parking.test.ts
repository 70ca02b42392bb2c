import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type BeforeTool, CallRefused, defineTool } from "../../src/kernel/index.ts";
import type { Json } from "../../src/lib/json.ts";
import { settle } from "../kit/kernel-world.ts";
import { before, guarded, park, parkedIn, pass, until } from "./guarded.ts";
import { containing, entriesOf, lines, NOTES, results, send } from "./make.ts";

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

  it("[T-30] [trap 8] a block ends the call with its text, and later handlers are not asked", async () => {
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

  it("[T-32] one that allows may replace the arguments, which are validated again", async () => {
    const runs: Json[] = [];
    const strict = defineTool({
      name: "work",
      description: "Works.",
      input: z.object({ n: z.number().max(5), mode: z.string().default("fast") }),
      execute: (input) => {
        runs.push(input);
        return Promise.resolve({ text: "worked" });
      },
    });
    for (const [n, outcome] of [
      [5, "ok"],
      [6, "error"],
    ] as const) {
      const allow = before(() => ({ kind: "allow", input: { n }, onStarted: () => undefined }));
      const { world } = guarded([allow], { tools: [strict] });
      send(world, "go");
      await world.run();
      expect(results(world)).toMatchObject([{ outcome }]);
    }
    expect(runs).toEqual([{ n: 5, mode: "fast" }]);
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
