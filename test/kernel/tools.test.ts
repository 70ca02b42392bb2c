import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { defineTool, type Tool, type ToolContext } from "../../src/kernel/index.ts";
import { MAX_TOOL_OUTPUT_BYTES, MAX_TOOL_OUTPUT_LINES } from "../../src/kernel/limits.ts";
import { boundOutput } from "../../src/kernel/turn/bound-output.ts";
import { utf8Bytes } from "../../src/lib/bytes.ts";
import type { Json } from "../../src/lib/json.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import type { Script } from "../kit/scripted-model.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { containing, lines, NOTES, results, send, textOf, tool } from "./make.ts";
import { started } from "./started.ts";

// Long histories on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

type Call = { name: string; args: string; id?: string };

const callsThen =
  (...calls: Call[]): Script =>
  (_request, nth) =>
    nth === 0 ? { calls } : { text: "Done." };
const call = (name: string, input: Json = {}): Call => ({ name, args: JSON.stringify(input) });

/** Lets one step of calls happen and the turn end. */
async function step(options: WorldOptions, ...calls: Call[]): Promise<KernelWorld> {
  const world = started({ script: callsThen(...calls), ...options });
  send(world, "go");
  await world.run();
  expect(lines(world).at(-1), "the turn goes on").toBe("assistant: Done.");
  return world;
}

const wait = (world: () => KernelWorld, ms: number) =>
  world().clock.wait(world().clock.now() + ms, new AbortController().signal);

describe("parallel calls", () => {
  it("[T-23] [C-23] [I-36] results are read in call order, whatever order they finish in", async () => {
    const slow = tool("slow", async (input) => {
      await wait(() => world, (input as { s: number }).s * 1_000);
      return { text: `waited ${(input as { s: number }).s}` };
    });
    const world: KernelWorld = started({
      tools: [slow],
      script: callsThen(call("slow", { s: 9 }), call("slow", { s: 1 }), call("slow", { s: 5 })),
    });
    send(world, "go");
    await world.run();
    expect(lines(world).filter((line) => line.startsWith("tool_result"))).toEqual(
      [1, 5, 9].map((s) => `tool_result: waited ${s}`),
    );
    const sent = world.model.requests[1]?.messages.filter((message) => message.role === "tool");
    expect(sent?.map((message) => [message.callId, textOf({ id: 0, kind: "", at: 0, message })])).toEqual([
      ["call_0_0", "waited 9"],
      ["call_0_1", "waited 1"],
      ["call_0_2", "waited 5"],
    ]);
  });

  it("[T-23] at most sixteen run at once", async () => {
    let running = 0;
    let most = 0;
    const slow = tool("slow", async () => {
      most = Math.max(most, ++running);
      await wait(() => world, 1_000);
      running--;
      return { text: "x" };
    });
    const world: KernelWorld = started({
      tools: [slow],
      script: callsThen(...Array.from({ length: 33 }, () => call("slow"))),
    });
    const startedAt = world.clock.now();
    send(world, "go");
    await world.run();
    expect(most).toBe(16);
    expect(world.clock.now() - startedAt).toBe(3_000);
    expect(results(world).map((one) => one.outcome)).toEqual(Array.from({ length: 33 }, () => "ok"));
  });

  it("[T-23] 64 calls of one answer run; one more gets an error result that says so", async () => {
    const look = tool("look", () => Promise.resolve({ text: "seen" }));
    const many = (count: number) => Array.from({ length: count }, () => call("look"));
    expect(results(await step({ tools: [look] }, ...many(64))).every((one) => one.outcome === "ok")).toBe(true);
    const world = await step({ tools: [look] }, ...many(65));
    expect(results(world).filter((one) => one.outcome === "ok")).toHaveLength(64);
    expect(results(world)[64]).toEqual({ outcome: "error", code: "too_many_calls", text: containing("Only 64 calls") });
    expect(world.model.requests[1]?.messages).toHaveLength(2 + 65);
  });
});

describe("calls that cannot run", () => {
  const count = defineTool({
    name: "count",
    description: "Counts.",
    input: z.object({ to: z.number().int(), text: z.string().default("") }),
    execute: (input) => Promise.resolve({ text: String(input.to) }),
  });
  const hidden = tool("hidden", () => Promise.reject(new Error("must not run")));
  const settings = () => ({ model: "m/m", thinking: "off", offers: (one: Tool) => one.name !== "hidden" }) as const;

  it.each([
    ["is not offered", call("hidden"), "not_offered", 'no tool "hidden". Offered: count.'],
    ["is unknown", call("cuont"), "not_offered", 'no tool "cuont"'],
    ["has a name no tool can have", call("__proto__"), "not_offered", "no tool"],
    ["is no JSON", { name: "count", args: '{"to": 3' }, "invalid_arguments", "not valid JSON"],
    ["is no object", { name: "count", args: "3" }, "invalid_arguments", "do not fit"],
    ["lacks an argument", call("count", {}), "invalid_arguments", "to"],
    ["has a wrong argument", call("count", { to: "many" }), "invalid_arguments", "expected number"],
    ["has no arguments at all", { name: "count", args: "" }, "invalid_arguments", "to"],
  ])("[T-24] [C-22] [B-19] a call that %s gets an error result that names why", async (_name, bad, code, text) => {
    const world = await step({ tools: [count, hidden], settings }, bad, call("count", { to: 3 }));
    expect(results(world)).toEqual([
      { outcome: "error", code, text: containing(text) },
      { outcome: "ok", text: "3" },
    ]);
    expect(world.model.requests[1]?.messages.find((message) => message.role === "tool")).toMatchObject({
      isError: true,
    });
  });

  it("[T-24] empty arguments are an empty object", async () => {
    const look = tool("look", (input) => Promise.resolve({ text: JSON.stringify(input) }));
    const world = await step({ tools: [look] }, { name: "look", args: " \n" });
    expect(results(world)).toEqual([{ outcome: "ok", text: "{}" }]);
  });

  it("[T-24] arguments of 256 KB are taken, one byte more is refused", async () => {
    const args = (bytes: number) => ({ name: "count", args: `{"to":1,"text":"${"x".repeat(bytes - 18)}"}` });
    const world = await step({ tools: [count] }, args(256 * 1024), args(256 * 1024 + 1));
    expect(results(world)).toMatchObject([
      { outcome: "ok" },
      { outcome: "error", code: "invalid_arguments", text: containing("262145 bytes, the limit is 262144") },
    ]);
  });

  it("[T-24] a tool that is gone by the time it is called is named", async () => {
    let takeAway: () => void = () => undefined;
    const world = started({
      register: (registry) => {
        takeAway = registry.registerTool(tool("look", () => Promise.resolve({ text: "seen" })));
      },
      script: (_request, nth) =>
        nth === 0
          ? { text: "I look.", between: () => Promise.resolve(takeAway()), calls: [call("look")] }
          : { text: "Done." },
    });
    send(world, "go");
    await world.run();
    expect(results(world)).toEqual([{ outcome: "error", code: "missing_tool", text: containing('"look"') }]);
    expect(lines(world).at(-1)).toBe("assistant: Done.");
  });
});

describe("running", () => {
  it("[T-25] [I-57] `started` is committed before the tool runs", async () => {
    const seen: unknown[] = [];
    const look = tool("look", (_input, { task }) => {
      const { view } = world.kernel.snapshot();
      seen.push(world.control.tasks[String(task)]?.checkpoint.phase, view.turn?.tools[0]?.status);
      return Promise.resolve({ text: "seen" });
    });
    const world: KernelWorld = started({ tools: [look], script: callsThen(call("look")) });
    send(world, "go");
    await world.run();
    expect(seen).toEqual(["started", "running"]);
    const events = world.commits.flatMap((frame) => frame.events.map((event) => event.type));
    expect(events).toEqual(["turn.started", "tool.started", "tool.finished", "turn.ended"]);
  });

  it("[T-26] a throw of the tool is an error result, also when it throws at once or no error", async () => {
    const world = await step(
      {
        tools: [
          tool("later", () => Promise.reject(new Error("no such luck"))),
          tool("at_once", () => {
            throw new TypeError("bad argument");
          }),
          tool("long", () => Promise.reject(new Error("x".repeat(100_000)))),
        ],
      },
      call("later"),
      call("at_once"),
      call("long"),
    );
    const [later, atOnce, long] = results(world);
    expect(later).toEqual({ outcome: "error", code: "tool_error", text: "The tool failed: no such luck" });
    expect(atOnce).toEqual({ outcome: "error", code: "tool_error", text: "The tool failed: bad argument" });
    expect(utf8Bytes(long?.text ?? "")).toBeLessThan(MAX_TOOL_OUTPUT_BYTES + 200);
  });

  it("[T-26] what a tool says of its own failure is told as it says it", async () => {
    const file = { id: "f1", name: "a.txt", mime: "text/plain", bytes: 3 };
    const world = await step(
      {
        tools: [
          tool("refuses", () => Promise.resolve({ text: "No.", isError: true, code: "not_here" })),
          tool("unsure", () => Promise.resolve({ text: "Cut off.", isError: true, code: "unknown_outcome" })),
          tool("gives", () => Promise.resolve({ text: "Here.", files: [file] })),
        ],
      },
      call("refuses"),
      call("unsure"),
      call("gives"),
    );
    expect(results(world)).toEqual([
      { outcome: "error", code: "not_here", text: "No." },
      { outcome: "unknown", code: "unknown_outcome", text: "Cut off." },
      { outcome: "ok", text: "Here.|a.txt" },
    ]);
  });

  it.each([
    ["bytes", "x".repeat(MAX_TOOL_OUTPUT_BYTES)],
    ["bytes of many-byte letters", "é".repeat(MAX_TOOL_OUTPUT_BYTES / 2)],
    ["lines", Array.from({ length: MAX_TOOL_OUTPUT_LINES }, (_, i) => `${i}`).join("\n")],
  ])("[T-27] [B-18] output at the limit of %s is whole", (_name, text) => {
    expect(boundOutput(text)).toBe(text);
  });

  it.each([
    [
      "one byte",
      "x".repeat(MAX_TOOL_OUTPUT_BYTES + 1),
      "x".repeat(MAX_TOOL_OUTPUT_BYTES),
      "1 lines and 51201 bytes; 51200 bytes",
    ],
    [
      "a letter that would be split",
      `${"x".repeat(MAX_TOOL_OUTPUT_BYTES - 1)}😀`,
      "x".repeat(MAX_TOOL_OUTPUT_BYTES - 1),
      "1 lines and 51203 bytes; 51199 bytes",
    ],
    [
      "one line",
      Array.from({ length: MAX_TOOL_OUTPUT_LINES + 1 }, () => "a").join("\n"),
      Array.from({ length: MAX_TOOL_OUTPUT_LINES }, () => "a").join("\n"),
      "2001 lines and 4001 bytes; 3999 bytes",
    ],
  ])("[T-27] output above the limit by %s is cut, saying what was left out", (_name, text, kept, statement) => {
    expect(boundOutput(text)).toBe(`${kept}\n[Cut: the output had ${statement} are shown.]`);
  });

  it("[T-27] the cut output is what is stored, sent and shown", async () => {
    const world = await step(
      { tools: [tool("look", () => Promise.resolve({ text: "x".repeat(60_000) }))] },
      call("look"),
    );
    const [stored] = results(world);
    expect(stored?.text).toContain("[Cut: the output had 1 lines and 60000 bytes");
    expect(JSON.stringify(world.model.requests[1]?.messages)).toContain("[Cut: the output");
    const shown = world.kernel.snapshot().view.entries.find((entry) => entry.kind === "core.tool_result");
    expect(shown).toMatchObject({ cut: stored?.text.length });
  });

  it("[T-29] a tool that outlasts its time gets an error result; of an unsafe one the outcome is unknown", async () => {
    const never = (name: string, replay: "safe" | "unsafe") =>
      tool(name, () => new Promise(() => undefined), { replay, timeoutMs: 30_000 });
    const world = started({
      tools: [never("lookup", "safe"), never("send", "unsafe")],
      script: callsThen(call("lookup"), call("send")),
    });
    const startedAt = world.clock.now();
    send(world, "go");
    await world.run();
    expect(results(world)).toEqual([
      { outcome: "error", code: "timeout", text: "The call took longer than 30 s." },
      { outcome: "unknown", code: "timeout", text: containing("outcome of this call is unknown") },
    ]);
    expect(world.clock.now() - startedAt, "five seconds of grace for who ignores the signal").toBe(35_000);
  });

  it.each([
    [29_999, "ok"],
    [30_001, "unknown"],
  ])("[T-29] a tool with 30 s that takes %i ms is %s", async (ms, outcome) => {
    let signal: AbortSignal | undefined;
    const slow = tool(
      "slow",
      async (_input, context) => {
        signal = context.signal;
        await wait(() => world, ms);
        return { text: "finished" };
      },
      { timeoutMs: 30_000 },
    );
    const world: KernelWorld = started({ tools: [slow], script: callsThen(call("slow")) });
    send(world, "go");
    await world.run();
    expect(results(world).map((one) => one.outcome)).toEqual([outcome]);
    expect(signal?.aborted).toBe(true);
  });
});

describe("what a running call may do", () => {
  it("[T-25] reads and changes a namespace, shows progress, knows its speaker and the time", async () => {
    const seen: unknown[] = [];
    const look = tool("look", async (_input, context) => {
      await Promise.resolve();
      context.progress("half way");
      seen.push(context.actor, context.meta, context.now(), context.read(NOTES).count);
      seen.push(context.update(NOTES, ({ count }) => ({ count: count + 1 })).count);
      seen.push(world.kernel.snapshot().live);
      return { text: "seen" };
    });
    const world: KernelWorld = started({ tools: [look], script: callsThen(call("look")) });
    send(world, "go", { meta: { identity: "web:1" } });
    await world.run();
    const task = world.deltas.find((delta) => delta.channel === "progress")?.task;
    const live = [{ task, attempt: 1, channel: "progress", text: "half way" }];
    expect(seen).toEqual(["p_anna", { identity: "web:1" }, world.clock.now(), 0, 1, live]);
    expect(world.kernel.snapshot().live).toEqual([]);
  });

  it("[T-25] [I-74] nothing any more once the call has its result", async () => {
    const kept: ToolContext[] = [];
    const look = tool("look", (_input, context) => {
      kept.push(context);
      return Promise.resolve({ text: "seen" });
    });
    const world = await step({ tools: [look] }, call("look"));
    const [context] = kept;
    const before = world.storage.counts.written;
    expect(() => context?.memo("m", 1)).toThrow(/has ended/);
    expect(() => context?.update(NOTES, () => ({ count: 1 }))).toThrow(/has ended/);
    expect(() => context?.progress("late")).toThrow(/has ended/);
    expect(world.storage.counts.written).toBe(before);
  });

  it("[T-28] [I-28] every call has an idempotency key of its own, whatever ids the vendor gives", async () => {
    const keys: string[] = [];
    const look = tool("look", (_input, context) => {
      keys.push(context.idempotencyKey);
      return Promise.resolve({ text: "seen" });
    });
    await step({ tools: [look] }, { ...call("look"), id: "same" }, { ...call("look"), id: "same" });
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(key).toMatch(/^test-conversation\/\d+$/);
  });
});

describe("deaths", () => {
  /** A world that dies while its one call is in the tool, as often as told. */
  async function dieIn(deaths: number, make: (life: number, log: string[]) => WorldOptions) {
    const log: string[] = [];
    let life = 0;
    const world = started({
      script: callsThen(call("work", { n: 1 })),
      register: (registry, kernel) => {
        const { tools = [], register } = make(life, log);
        for (const one of tools) registry.registerTool(one);
        register?.(registry, kernel);
      },
    });
    send(world, "go");
    for (; life < deaths; ) {
      const { length } = log;
      await world.run(() => log.length > length);
      world.crash();
      life++;
    }
    await world.run();
    expect(lines(world).at(-1)).toBe("assistant: Done.");
    return { world, log };
  }

  const work = (log: string[], life: number, options: { replay: "safe" | "unsafe"; deaths?: number }) =>
    tool(
      "work",
      async (input, context) => {
        await Promise.resolve();
        const memo = context.memo("id", `first of life ${life}`);
        log.push(`${context.idempotencyKey} ${JSON.stringify(memo)} ${JSON.stringify(input)}`);
        if (life < (options.deaths ?? 1)) await new Promise(() => undefined);
        return { text: "worked" };
      },
      { replay: options.replay },
    );

  it("[T-28] [R-15] [R-16] a safe call runs again with the same key and the same memos", async () => {
    const { world, log } = await dieIn(1, (life, log) => ({ tools: [work(log, life, { replay: "safe" })] }));
    expect(log).toHaveLength(2);
    expect(log[1]).toBe(log[0]);
    expect(log[0]).toMatch(/"first of life 0" \{"n":1\}$/);
    expect(results(world)).toEqual([{ outcome: "ok", text: "worked" }]);
  });

  it("[T-28] [R-17] an unsafe call is not run again; its outcome is unknown, and the model is told", async () => {
    const { world, log } = await dieIn(1, (life, log) => ({ tools: [work(log, life, { replay: "unsafe" })] }));
    expect(log).toHaveLength(1);
    const [result] = results(world);
    expect(result).toEqual({ outcome: "unknown", code: "interrupted", text: containing("may or may not have taken") });
    expect(JSON.stringify(world.model.requests[1]?.messages)).toContain("Do not repeat it on your own");
  });

  it("[T-28] [C-22] a call whose tool was safe and is not any more is not run again", async () => {
    const { log, world } = await dieIn(1, (life, log) => ({
      tools: [work(log, life, { replay: life === 0 ? "safe" : "unsafe" })],
    }));
    expect(log).toHaveLength(1);
    expect(results(world)).toMatchObject([{ outcome: "unknown" }]);
  });

  it.each([
    ["is gone", (): Tool[] => []],
    [
      "takes other arguments now",
      (log: string[]) => [
        defineTool({
          name: "work",
          description: "Works.",
          replay: "safe" as const,
          input: z.object({ other: z.string() }),
          execute: () => {
            log.push("ran");
            return Promise.resolve({ text: "" });
          },
        }),
      ],
    ],
  ])("[T-28] [C-22] a safe call whose tool %s has an unknown outcome", async (_name, later) => {
    const { log, world } = await dieIn(1, (life, log) => ({
      tools: life === 0 ? [work(log, 0, { replay: "safe" })] : later(log),
    }));
    expect(log).toHaveLength(1);
    expect(results(world)).toMatchObject([{ outcome: "unknown", code: "interrupted" }]);
  });

  it("[T-28] a safe call that takes the process with it each time is given up after three repeats", async () => {
    const { log, world } = await dieIn(4, (life, log) => ({ tools: [work(log, life, { replay: "safe", deaths: 9 })] }));
    expect(log).toHaveLength(4);
    expect(results(world)).toMatchObject([{ outcome: "unknown" }]);
  });

  it("[T-28] [R-12] a death before `started` runs everything before it again", async () => {
    const { log, world } = await dieIn(1, (life, log) => ({
      tools: [work(log, 9, { replay: "unsafe" })],
      register: (registry) => {
        registry.hooks(NOTES, {
          beforeTool: async () => {
            log.push(`checked in life ${life}`);
            if (life === 0) await new Promise(() => undefined);
            return { kind: "pass" };
          },
        });
      },
    }));
    expect(log.map((line) => line.replace(/^test.*/, "ran"))).toEqual([
      "checked in life 0",
      "checked in life 1",
      "ran",
    ]);
    expect(results(world)).toMatchObject([{ outcome: "ok" }]);
  });

  it("[T-28] [T-30] a repeat gets the arguments that a handler had put in place", async () => {
    const { log } = await dieIn(1, (life, log) => ({
      tools: [work(log, life, { replay: "safe" })],
      register: (registry) => {
        registry.hooks(NOTES, {
          beforeTool: () => Promise.resolve(life === 0 ? { kind: "pass", input: { n: 2 } } : { kind: "pass" }),
        });
      },
    }));
    expect(log).toHaveLength(2);
    expect(log[0]).toContain('{"n":2}');
    expect(log[1]).toBe(log[0]);
  });
});
