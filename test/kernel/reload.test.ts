import { describe, expect, it } from "vitest";
import { decideAll, GATE, registerGate } from "../kit/mini-gate.ts";
import { untilAborted } from "../kit/scripted-model.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { entriesOf, lines, results, send, tool } from "./make.ts";
import { started } from "./started.ts";

const work = tool("work", () => Promise.resolve({ text: "worked" }));
const callsWork: WorldOptions["script"] = (_request, nth) =>
  nth === 0 ? { calls: [{ name: "work", args: "{}" }] } : { text: "Done." };

const gated: WorldOptions = {
  tools: [work],
  script: callsWork,
  register: (registry, kernel) => registerGate(registry, kernel, "work"),
};

describe("quiescent", () => {
  it("[K-68] [A-25] is false while a request runs, while a retry sleeps, while a call waits, while a delivery is under way", async () => {
    const idle = started();
    expect(idle.kernel.isQuiescent).toBe(true);

    const streaming = started({ script: () => ({ text: "x", between: untilAborted }) });
    send(streaming, "hi");
    await streaming.run(() => streaming.model.requests.length === 1);
    expect(streaming.kernel.isQuiescent).toBe(false);

    const retrying = started({ script: () => ({ error: { retryAfterMs: 60_000 } }) });
    send(retrying, "hi");
    await retrying.run(() => false, retrying.clock.now() + 1_000);
    expect(retrying.control.turn).not.toBeNull();
    expect(retrying.kernel.isQuiescent).toBe(false);

    const waiting = started(gated);
    send(waiting, "hi");
    await waiting.run();
    expect(waiting.kernel.isQuiescent).toBe(false);
    decideAll(waiting.kernel, "approved");
    await waiting.run();
    expect(waiting.kernel.isQuiescent).toBe(true);

    const delivering = started({ deliver: () => new Promise(() => undefined) });
    delivering.kernel.commit((tx) => tx.send({ key: "k", target: "slow", payload: null }));
    await delivering.run(() => false, delivering.clock.now());
    expect(delivering.kernel.isQuiescent).toBe(false);
  });
});

describe("hold", () => {
  it("[K-69] [A-26] nothing begins while it is held; commits and reads go on; released, it runs", async () => {
    const world = started();
    const release = world.kernel.hold();
    const other = world.kernel.hold();
    expect(send(world, "hi")).toMatchObject({ ok: true, value: { status: "placed" } });
    await world.run(() => false, world.clock.now() + 5_000);
    expect(world.model.requests).toEqual([]);
    expect(world.kernel.snapshot().view.turn).not.toBeNull();
    release();
    release();
    await world.run(() => false, world.clock.now() + 5_000);
    expect(world.model.requests, "the other hold still stands").toEqual([]);
    other();
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
  });

  it("[K-69] is refused unless quiescent", async () => {
    const world = started(gated);
    send(world, "hi");
    await world.run();
    expect(() => world.kernel.hold()).toThrow("Something is under way: close this kernel");
  });

  it("[K-69] a process that dies while it is held goes on at the next start", async () => {
    const world = started();
    world.kernel.hold();
    send(world, "hi");
    world.crash();
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
  });

  it("[K-50] [K-69] exchanged under a hold, code counts from the next step", async () => {
    const world = started({ tools: [work], script: callsWork });
    const release = world.kernel.hold();
    const undo = world.registry.registerTool(tool("other", () => Promise.resolve({ text: "" })));
    release();
    send(world, "go");
    await world.run();
    undo();
    send(world, "again");
    await world.run();
    expect(world.model.requests.map(({ tools }) => tools.length)).toEqual([2, 2, 1]);
  });

  it("[K-50] [A-32] a step keeps its snapshot: what is taken away while it runs is gone in the next one", async () => {
    const undo: (() => void)[] = [];
    const world = started({
      register: (registry) => {
        const busy = tool("work", async () => {
          await Promise.resolve();
          for (const take of undo) take();
          await Promise.resolve();
          return { text: "finished although taken away" };
        });
        undo.push(registry.registerTool(busy));
      },
      script: callsWork,
    });
    send(world, "go");
    await world.run();
    expect(results(world)).toEqual([{ outcome: "ok", text: "finished although taken away" }]);
    expect(world.model.requests.map(({ tools }) => tools.length)).toEqual([1, 0]);
  });
});

describe("suspending", () => {
  it("[K-70] [A-27] [I-125] ends handlers without a mark: the next open goes on, nobody is asked twice", async () => {
    const world = started(gated);
    send(world, "go");
    await world.run();
    const held = world.control;
    await world.kernel.close();
    expect(world.control.tasks).toEqual(held.tasks);
    world.crash();
    world.start().resume();
    await world.run();
    expect(Object.values(world.kernel.get(GATE).calls)).toEqual(["open"]);
    decideAll(world.kernel, "approved");
    world.crash();
    await world.run();
    expect(results(world)).toEqual([{ outcome: "ok", text: "Approved.|worked" }]);
    expect(lines(world).at(-1)).toBe("assistant: Done.");
  });

  it("[K-70] [I-127] a streaming request ends at once, and nothing runs after it resolved", async () => {
    const world = started({
      script: (_request, nth) => (nth === 0 ? { text: "xy", between: untilAborted } : { text: "ok" }),
    });
    send(world, "hi");
    await world.run(() => world.model.requests.length === 1);
    await world.kernel.close();
    expect(world.control.turn).toMatchObject({ stopping: false });
    expect(entriesOf(world, "core.assistant")).toEqual([]);
    world.crash();
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "assistant: ok"]);
  });
});
