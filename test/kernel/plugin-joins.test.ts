import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool, type Tool, type ToolContext } from "../../src/kernel/index.ts";
import type { TaskDefinition } from "../../src/kernel/registry/task-definition.ts";
import type { Json } from "../../src/lib/json.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { callsThen, tasksOf, until } from "./guarded.ts";
import { containing, entriesOf, lines, NOTES, results, send } from "./make.ts";
import { begin, type Flow, flow, withKinds } from "./make-plugin.ts";

const HOUR = 3_600_000;

/** A task that takes an hour. */
const slow = (result: Json = { pages: 3 }): TaskDefinition<null, Flow> =>
  flow({
    first: ({ now }) => ({ kind: "sleep", until: now() + HOUR, checkpoint: { phase: "second", n: 0 } }),
    second: () => ({ kind: "complete", result }),
  });

/** A tool that waits for what `on` gives. */
const joining = (on: (context: ToolContext) => number, finished?: Parameters<typeof defineTool>[0]["finished"]): Tool =>
  defineTool({
    name: "work",
    description: "Has a task do it.",
    input: z.object({ n: z.number() }),
    replay: "safe",
    timeoutMs: 1_000,
    execute: (_input, context) => Promise.resolve({ waitFor: on(context) }),
    ...(finished && { finished }),
  });

const delegating = (kind: TaskDefinition<null, Flow>) => joining((context) => context.begin("it", kind, null));

function talk(kinds: readonly TaskDefinition<null, Flow>[], tools: readonly Tool[], options: WorldOptions = {}) {
  const world = withKinds(kinds, { script: callsThen("work"), tools, ...options });
  send(world, "go");
  return world;
}

const waiting = (world: KernelWorld) => tasksOf(world).some(({ checkpoint }) => checkpoint.phase === "joining");

describe("a call that waits for a task", () => {
  it("[T-50] needs neither memory nor its time limit, and has its result when that is finished", async () => {
    const kind = slow();
    const world = talk([kind], [delegating(kind)]);
    await world.pass(60_000);
    const call = tasksOf(world).find(({ kind }) => kind === "core.tool");
    const work = tasksOf(world).find(({ kind }) => kind === "test.flow");
    expect(call).toMatchObject({ status: "waiting", tasks: [work?.id], checkpoint: { phase: "joining" } });
    expect(work).toMatchObject({ owner: call?.id });
    expect(world.kernel.snapshot().view.turn?.tools).toMatchObject([{ name: "work", status: "running" }]);
    world.crash();
    world.start();
    await world.run();
    expect(results(world)).toEqual([{ outcome: "ok", text: '{"pages":3}' }]);
    expect(lines(world).at(-1)).toBe("assistant: answer 1");
  });

  it("[T-50] has the result that its tool makes of the receipt, with the time from its start", async () => {
    const kind = slow("three pages");
    const seen: unknown[] = [];
    const tool = joining(
      (context) => context.begin("it", kind, null),
      (receipt, input, context) => {
        seen.push(receipt, input, context.memo("made", true), context.idempotencyKey);
        return Promise.resolve({ text: `Done: ${JSON.stringify(receipt.result)}` });
      },
    );
    const world = talk([kind], [tool]);
    await world.run();
    expect(results(world)).toEqual([{ outcome: "ok", text: 'Done: "three pages"' }]);
    expect(entriesOf(world, "core.tool_result")[0]?.data).toMatchObject({ ms: HOUR });
    const [receipt, ...rest] = seen;
    expect(receipt).toMatchObject({ outcome: "completed", result: "three pages" });
    expect(rest).toEqual([{ n: 1 }, true, containing("test-conversation/")]);
  });

  it.each([
    ["failed", { kind: "fail", error: "no disk" }, "task_failed"],
    ["faulted", undefined, "task_faulted"],
  ] as const)("[T-50] is told when that %s", async (outcome, step, code) => {
    const kind = flow({
      first: () => {
        if (!step) throw new Error("broken kind");
        return step;
      },
    });
    const world = talk([kind], [delegating(kind)]);
    await world.run();
    const text = containing(`The task ended as ${outcome}: {"error":"${step ? "no disk" : "broken kind"}"}`);
    expect(results(world)).toEqual([{ outcome: "error", code, text }]);
  });

  it("[T-50] may wait for one after the other", async () => {
    const kind = slow();
    let second = 0;
    const tool = joining(
      (context) => context.begin("first", kind, null),
      (receipt, _input, context) => {
        if (second !== 0) return Promise.resolve({ text: `${receipt.task === second}` });
        second = context.begin("second", kind, null);
        return Promise.resolve({ waitFor: second });
      },
    );
    const world = talk([kind], [tool]);
    const from = world.clock.now();
    await world.run();
    expect(results(world)).toEqual([{ outcome: "ok", text: "true" }]);
    expect(world.clock.now() - from).toBe(2 * HOUR);
  });

  it("[T-50] [R-29] begins its task once: a replay finds the one that it began", async () => {
    const kind = slow();
    let runs = 0;
    const tool: Tool = {
      ...delegating(kind),
      async execute(_input, context) {
        runs++;
        const first = context.begin("it", kind, null);
        if (runs === 1) await new Promise(() => undefined);
        return { waitFor: context.begin("it", kind, null) === first ? first : 0 };
      },
    };
    const world = talk([kind], [tool]);
    await until(world, () => tasksOf(world).some(({ kind }) => kind === "test.flow"));
    world.crash();
    world.start().resume();
    await until(world, () => waiting(world));
    expect(tasksOf(world).filter(({ kind }) => kind === "test.flow")).toHaveLength(1);
    await world.run();
    expect([runs, results(world)]).toEqual([2, [{ outcome: "ok", text: '{"pages":3}' }]]);
  });

  it("[T-50] has its result when the task was finished before it waited", async () => {
    const quick = flow({ first: () => ({ kind: "complete", result: "quick" }) });
    const world = withKinds([quick], { script: callsThen("work"), tools: [joining(() => 1)] });
    expect(begin(world, quick)).toBe(1);
    await world.run();
    send(world, "go");
    await world.run();
    expect(results(world)).toEqual([{ outcome: "ok", text: "quick" }]);
  });

  it("[T-50] gets the task's own result when its tool is gone meanwhile", async () => {
    const kind = slow();
    const world = withKinds([kind], { script: callsThen("work") });
    const undo = world.registry.registerTool(
      joining(
        (context) => context.begin("it", kind, null),
        () => Promise.resolve({ text: "never" }),
      ),
    );
    send(world, "go");
    await until(world, () => waiting(world));
    undo();
    await world.run();
    expect(results(world)).toEqual([{ outcome: "ok", text: '{"pages":3}' }]);
  });

  it.each([
    ["never was", () => 999, "missing_task", "There is no task 999 that this call could wait for."],
    ["is itself", ({ task }: ToolContext) => task, "endless_wait", "which cannot end before it does"],
    ["is the turn's", () => Number(world?.control.turn?.task), "endless_wait", "which cannot end before it does"],
  ] as const)("[T-50] [D-1] gets an error when the task %s", async (_name, on, code, text) => {
    world = talk([], [joining(on)]);
    await world.run();
    expect(results(world)).toEqual([{ outcome: "error", code, text: containing(text) }]);
    expect(lines(world).at(-1)).toBe("assistant: answer 1");
  });
  let world: KernelWorld | undefined;

  it("[T-50] [I-71] begins nothing of a kind that is not the live one", async () => {
    const world = talk([slow()], [delegating(slow())]);
    await world.run();
    expect(results(world)).toEqual([{ outcome: "error", code: "tool_error", text: containing("StaleDefinition") }]);
  });

  it("[T-50] says who approved it, with the result that comes an hour later", async () => {
    const kind = slow();
    const world = talk([kind], [delegating(kind)], {
      register: (registry) => {
        registry.hooks(NOTES, {
          beforeTool: () =>
            Promise.resolve({
              kind: "allow",
              approval: { by: "p_owner", note: "Approved." },
              onStarted: () => undefined,
            }),
        });
      },
    });
    await world.run();
    expect(results(world)).toEqual([{ outcome: "ok", text: 'Approved.|{"pages":3}' }]);
    expect(entriesOf(world, "core.tool_result")[0]?.data).toMatchObject({ decidedBy: "p_owner" });
  });
});

describe("a stop while a call waits", () => {
  it("[T-50] [K-56] [C-27] reaches the task that the call owns, before the call itself has its result", async () => {
    const log: string[] = [];
    const kind = {
      ...slow(),
      abort: () => Promise.resolve(void log.push(`abort, ${results(world).length} results`)),
    };
    const world: KernelWorld = talk([kind], [delegating(kind)]);
    await until(world, () => waiting(world));
    world.kernel.stop();
    await world.run();
    expect(log).toEqual(["abort, 0 results"]);
    expect(results(world)).toMatchObject([{ outcome: "stopped" }]);
    expect(tasksOf(world)).toEqual([]);
  });

  it("[T-50] leaves a task alone that the call only waited for", async () => {
    const kind = slow();
    const world = withKinds([kind], { script: callsThen("work"), tools: [joining(() => 1)] });
    expect(begin(world, kind)).toBe(1);
    send(world, "go");
    await until(world, () => waiting(world));
    world.kernel.stop();
    await world.pass(1_000);
    expect(results(world)).toMatchObject([{ outcome: "stopped" }]);
    expect(tasksOf(world)).toMatchObject([{ id: 1, status: "sleeping" }]);
    await world.run();
    expect(world.kernel.receipt(1)?.outcome).toBe("completed");
  });

  it("[T-50] [T-33] the speaker's next message waits for it, as for any call that works", async () => {
    const kind = slow();
    const world = talk([kind], [delegating(kind)], {
      register: (registry) => void registry.hooks(NOTES, { beforeTool: () => Promise.resolve({ kind: "pass" }) }),
    });
    await until(world, () => waiting(world));
    send(world, "and more");
    await world.pass(1_000);
    expect(world.control.inbox.map(({ key }) => key)).toEqual(["p_anna:and more"]);
    await world.run();
    expect(lines(world).slice(-3)).toEqual(['tool_result: {"pages":3}', "user: and more", "assistant: answer 1"]);
  });
});
