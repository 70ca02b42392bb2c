import { describe, expect, it } from "vitest";
import type { AssistantEntryData } from "../../src/protocol/view.ts";
import { type KernelWorld, settle } from "../kit/kernel-world.ts";
import { registerGate } from "../kit/mini-gate.ts";
import { SCRIPTED_USAGE, type Script, untilAborted } from "../kit/scripted-model.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { ANNA, BERT, dump, entriesOf, lines, NOTES, results, send, textOf, tool } from "./make.ts";
import { started } from "./started.ts";

const calls =
  (...names: string[]): Script =>
  (_request, nth) =>
    nth === 0 ? { text: "On it.", calls: names.map((name) => ({ name, args: "{}" })) } : { text: "Done." };

/** Runs until a condition holds, without letting time pass. */
const until = (world: KernelWorld, condition: () => boolean) => world.run(condition, world.clock.now());

/** The display entry of a stopped turn. */
function stopped(world: KernelWorld) {
  const [entry] = entriesOf(world, "core.assistant").filter(
    (one) => (one.data as unknown as AssistantEntryData).display,
  );
  return entry && { text: textOf(entry), display: (entry.data as unknown as AssistantEntryData).display };
}

/** A world whose turn waits in the middle of streaming. */
async function streaming(options: WorldOptions = {}): Promise<KernelWorld> {
  const script: Script = (_request, nth) =>
    nth === 0 ? { text: "Once upon", between: untilAborted } : { text: "Next." };
  const world = started({ script, ...options });
  send(world, "tell me");
  await until(world, () => world.deltas.length > 0);
  return world;
}

describe("the mark", () => {
  it("[T-35] [C-11] [I-100] is one commit: the turn is marked, its speaker's queued inputs are withdrawn", async () => {
    const world = await streaming();
    send(world, "and then?");
    send(world, "later", { mode: "queue" });
    send(world, "me too", { actor: BERT });
    const { rev } = world.kernel.snapshot();
    expect(world.kernel.stop()).toBe(true);
    const frame = world.commits.find((one) => one.rev === rev + 1);
    expect(frame?.events).toEqual([
      { type: "input.aborted", input: `${ANNA}:and then?` },
      { type: "input.aborted", input: `${ANNA}:later` },
    ]);
    expect(world.kernel.snapshot().view).toMatchObject({
      turn: { stopping: true },
      inbox: [{ input: `${BERT}:me too` }],
    });
    for (const text of ["and then?", "later"]) {
      expect(world.kernel.input(`${ANNA}:${text}`)?.state).toEqual({ status: "unanswered", reason: "aborted" });
    }
    await world.run();
    expect(lines(world).slice(-2)).toEqual(["user: me too", "assistant: Next."]);
  });

  it("[T-35] leaves what the system has to tell: it gets the next turn", async () => {
    const world = await streaming();
    send(world, "The call has run.", { key: "system:call:9" });
    world.kernel.stop();
    await world.run();
    expect(lines(world).slice(-2)).toEqual(["notice: The call has run.", "assistant: Next."]);
  });

  it("[T-35] [I-118] a second stop changes nothing and does not restart the first", async () => {
    const world = await streaming();
    expect(world.kernel.stop()).toBe(true);
    const before = dump(world);
    expect(world.kernel.stop()).toBe(false);
    expect(dump(world)).toBe(before);
    await world.run();
    expect(entriesOf(world, "core.assistant")).toHaveLength(1);
  });

  it("[T-35] [E-23] nothing of the old work is committed after it, even by a vendor that does not listen", async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = started({
      script: (_request, nth) => (nth === 0 ? { text: "Once upon", between: () => gate } : { text: "Next." }),
    });
    send(world, "tell me");
    await until(world, () => world.deltas.length > 0);
    world.kernel.stop();
    const before = dump(world);
    await settle();
    expect(dump(world), "the abort waits for the old invocation").toBe(before);
    release();
    await world.run();
    expect(lines(world)).toEqual(["user: tell me", "assistant: Once "]);
    expect(world.kernel.snapshot().view.usage.output, "a full answer that came too late is not taken").toBe(0);
  });

  it("[T-38] stopping when nothing runs changes nothing and says so", async () => {
    const world = started();
    expect(world.kernel.stop()).toBe(false);
    send(world, "hi");
    await world.run();
    const before = dump(world);
    expect(world.kernel.stop()).toBe(false);
    expect(dump(world)).toBe(before);
  });
});

describe("what becomes of the turn", () => {
  it("[T-36] [T-9] what was streamed is kept for display, the input ends unanswered, and no further step begins", async () => {
    const world = await streaming();
    world.kernel.stop();
    await world.run();
    expect(stopped(world)).toEqual({ text: "Once ", display: { reason: "stopped" } });
    expect(world.kernel.input(`${ANNA}:tell me`)?.state).toMatchObject({ status: "unanswered", reason: "aborted" });
    expect(world.commits.at(-1)?.events).toContainEqual({ type: "turn.ended", outcome: "stopped" });
    expect(world.model.requests).toHaveLength(1);
    expect(world.kernel.snapshot().live).toEqual([]);
    send(world, "go on");
    await world.run();
    expect(JSON.stringify(world.model.requests[1]), "and no model sees it").not.toContain("Once");
  });

  it("[T-36] a turn that had not asked yet ends without a request", async () => {
    const world = started();
    send(world, "hi");
    world.kernel.stop();
    await world.run();
    expect(world.model.requests).toEqual([]);
    expect(stopped(world)).toEqual({ text: "", display: { reason: "stopped" } });
  });

  it("[T-36] a stop during the pause before a retry ends the turn at once", async () => {
    const world = started({ script: () => ({ error: { retryAfterMs: 60_000 } }) });
    send(world, "hi");
    await until(world, () => false);
    expect(world.kernel.snapshot().view.turn?.stage).toBe("retrying");
    world.kernel.stop();
    await until(world, () => false);
    expect(world.control.turn).toBeNull();
    expect(world.alarm.armedFor).toBeNull();
    await world.run();
    expect(world.model.requests).toHaveLength(1);
  });

  it("[T-36] [C-27] [C-25] tools not started end as stopped, an unsafe one under way as unknown, a safe one as stopped", async () => {
    const log: string[] = [];
    const hang = (name: string, replay: "safe" | "unsafe") =>
      tool(
        name,
        async (_input, { signal }) => {
          log.push(name);
          await untilAborted(signal);
          return { text: "too late" };
        },
        { replay },
      );
    const world = started({
      tools: [
        hang("lookup", "safe"),
        hang("send", "unsafe"),
        hang("held", "unsafe"),
        tool("fast", () => Promise.resolve({ text: "seen" })),
      ],
      register: (registry, kernel) => registerGate(registry, kernel, "held"),
      script: calls("fast", "lookup", "send", "held"),
    });
    send(world, "go");
    await until(world, () => log.length === 2 && results(world).length === 1);
    world.kernel.stop();
    await world.run();
    expect(results(world).map(({ outcome, code }) => [outcome, code])).toEqual([
      ["ok", undefined],
      ["stopped", "stopped"],
      ["unknown", "stopped"],
      ["stopped", "stopped"],
    ]);
    expect(log).toEqual(["lookup", "send"]);
    expect(world.model.requests).toHaveLength(1);
    expect(world.control.tasks).toEqual({});
  });

  it("[T-36] of more calls than run at once, those that wait for a place never begin", async () => {
    let begun = 0;
    const hang = tool("hang", async (_input, { signal }) => {
      begun++;
      await untilAborted(signal);
      return { text: "too late" };
    });
    const world = started({ tools: [hang], script: calls(...Array.from({ length: 20 }, () => "hang")) });
    send(world, "go");
    await until(world, () => begun === 16);
    world.kernel.stop();
    await world.run();
    expect(begun).toBe(16);
    expect(results(world).map((one) => one.outcome)).toEqual([
      ...Array.from({ length: 16 }, () => "unknown"),
      ...Array.from({ length: 4 }, () => "stopped"),
    ]);
  });

  it("[T-39] a tool that ignores its signal holds a stop up for five seconds, no longer", async () => {
    const world = started({ tools: [tool("deaf", () => new Promise(() => undefined))], script: calls("deaf") });
    send(world, "go");
    await until(world, () => world.kernel.snapshot().view.turn?.tools[0]?.status === "running");
    const stoppedAt = world.clock.now();
    world.kernel.stop();
    await world.run();
    expect(world.clock.now() - stoppedAt).toBe(5_000);
    expect(results(world)).toMatchObject([{ outcome: "unknown", code: "stopped" }]);
    expect(world.control.turn).toBeNull();
  });

  it("[T-39] nor does a vendor that never listens", async () => {
    const world = await streaming({
      script: () => ({ text: "Once upon", between: () => new Promise(() => undefined) }),
    });
    const stoppedAt = world.clock.now();
    world.kernel.stop();
    await world.run();
    expect(world.clock.now() - stoppedAt).toBe(5_000);
    expect(stopped(world)).toEqual({ text: "Once ", display: { reason: "stopped" } });
  });

  it.each([
    ["a check before a tool", { beforeTool: () => new Promise<never>(() => undefined) }, {}],
    ["the host's settings", {}, { settings: () => new Promise<never>(() => undefined) }],
  ])("[T-39] a stop does not wait for %s that never comes back", async (_name, hooks, options) => {
    const world = started({
      tools: [tool("look", () => Promise.resolve({ text: "seen" }))],
      register: (registry) => void registry.hooks(NOTES, hooks),
      script: calls("look"),
      ...options,
    });
    send(world, "go");
    await until(world, () => false);
    world.kernel.stop();
    await until(world, () => world.control.turn === null);
    expect(world.control.turn).toBeNull();
    expect(stopped(world)).toMatchObject({ display: { reason: "stopped" } });
  });

  it.each([
    ["in the next request", () => Promise.resolve({ text: "seen" }), 2],
    ["while its tools run", () => new Promise<never>(() => undefined), 1],
  ])("[T-36] text that a step's answer holds already is not shown a second time, %s", async (_name, look, requests) => {
    const slowly = async () => {
      await world.clock.wait(world.clock.now() + 3_000, new AbortController().signal);
    };
    const world = started({
      tools: [tool("look", look)],
      script: (_request, nth) =>
        nth === 0
          ? { text: "I shall look", pieces: 3, between: slowly, calls: [{ name: "look", args: "{}" }] }
          : { between: untilAborted },
    });
    send(world, "go");
    const isUnderWay = () => world.kernel.snapshot().view.turn?.tools[0]?.startedAt !== undefined;
    await world.run(() => world.model.requests.length === requests && (requests === 2 || isUnderWay()));
    world.kernel.stop();
    await world.run();
    expect(stopped(world)).toEqual({ text: "", display: { reason: "stopped" } });
    expect(entriesOf(world, "core.assistant").map(textOf)).toEqual(["I shall look|call look", ""]);
  });
});

describe("stops and deaths", () => {
  it("[T-37] [R-27] [I-117] the reopened kernel finishes stopping, and runs no step of the turn", async () => {
    const world = await streaming();
    world.kernel.stop();
    world.crash();
    await world.run();
    expect(world.model.requests).toHaveLength(1);
    expect(stopped(world)).toEqual({ text: "", display: { reason: "stopped" } });
    expect(world.control.turn).toBeNull();
  });

  it("[T-37] [T-36] what was saved of the text before the death is shown", async () => {
    const between = async (signal: AbortSignal, nth: number) => {
      if (nth === 3) return untilAborted(signal);
      await world.clock.wait(world.clock.now() + 3_000, new AbortController().signal);
    };
    const world = started({ script: () => ({ text: "Once upon a time", pieces: 4, between }) });
    send(world, "tell me");
    await world.run(() => world.deltas.length === 3);
    world.kernel.stop();
    world.crash();
    await world.run();
    expect(stopped(world)?.text).toBe("Once upon a ");
  });

  it("[T-37] a stop of an unsafe call under way survives a death as unknown, and the call is not run again", async () => {
    let runs = 0;
    const world = started({
      tools: [
        tool("send", async (_input, { signal }) => {
          runs++;
          await untilAborted(signal);
          return { text: "sent" };
        }),
      ],
      script: calls("send"),
    });
    send(world, "go");
    await until(world, () => runs === 1);
    world.kernel.stop();
    world.crash();
    await world.run();
    expect(runs).toBe(1);
    expect(results(world)).toMatchObject([{ outcome: "unknown", code: "stopped" }]);
  });

  it("[T-51] [T-22] what a request cost that ended after the stop is counted, once", async () => {
    const world = started({ script: () => ({ text: "xy", between: untilAborted, error: { usage: SCRIPTED_USAGE } }) });
    send(world, "hi");
    await world.run(() => world.deltas.length > 0);
    world.kernel.stop();
    await world.run();
    expect(world.kernel.snapshot().view.usage).toEqual(SCRIPTED_USAGE);
    expect(entriesOf(world, "core.assistant")[0]?.data).toMatchObject({ usage: SCRIPTED_USAGE });
  });
});
