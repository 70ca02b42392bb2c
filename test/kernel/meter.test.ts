import { describe, expect, it } from "vitest";
import { MAX_OWED, Till } from "../../src/kernel/meter/till.ts";
import { FakeMeter } from "../kit/fake-meter.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { decideAll, registerGate } from "../kit/mini-gate.ts";
import { SCRIPTED_USAGE, type Script, untilAborted } from "../kit/scripted-model.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { entriesOf, lines, send, tool } from "./make.ts";
import { started } from "./started.ts";
import { say, TURN_COSTS, options as turnOptions } from "./turn-costs.ts";

const look = tool("look", () => Promise.resolve({ text: "seen" }));
const callLook = { calls: [{ name: "look", args: "{}" }] };

function metered(options: WorldOptions = {}): { readonly world: KernelWorld; readonly meter: FakeMeter } {
  const meter = new FakeMeter();
  return { meter, world: started({ ...options, meter }) };
}

const failure = (world: KernelWorld) =>
  entriesOf(world, "core.assistant").flatMap(({ data }) => {
    const { display } = data as { display?: { reason: string; error?: string } };
    return display ? [display] : [];
  });

describe("asking before a request", () => {
  it("[Y-20] is done before the request is committed, with the speaker, the model and its size", async () => {
    const { world, meter } = metered();
    let phase: string | undefined;
    const reserve = meter.reserve.bind(meter);
    meter.reserve = (ask, debts) => {
      phase ??= Object.values(world.control.tasks)[0]?.checkpoint.phase;
      return reserve(ask, debts);
    };
    send(world, "hi", { meta: { identity: "test:anna" } });
    await world.run();
    expect(phase).toBe("prepare");
    const [account] = meter.accounts.values();
    expect(account?.ask).toMatchObject({ actor: "p_anna", model: "test/model", meta: { identity: "test:anna" } });
    expect(account?.ask.input).toBeGreaterThan(1_000);
    expect(meter.open).toEqual([]);
  });

  it("[Y-20] a refusal ends the turn with its words; nothing leaves and nothing is asked again", async () => {
    const { world, meter } = metered();
    meter.refusal = "You have spent your $5.00 for today.";
    send(world, "hi");
    await world.run();
    expect(failure(world)).toEqual([{ reason: "failed", error: "You have spent your $5.00 for today." }]);
    expect(world.model.requests).toEqual([]);
    expect(meter.calls.filter((call) => call.startsWith("reserve"))).toHaveLength(1);
    expect(world.control.turn).toBeNull();
    meter.refusal = undefined;
    send(world, "again");
    await world.run();
    expect(lines(world).at(-1)).toBe("assistant: Hello.");
  });

  it("[Y-20] a refusal between two steps keeps what was done", async () => {
    const { world, meter } = metered({ tools: [look], script: () => callLook });
    const reserve = meter.reserve.bind(meter);
    meter.reserve = (ask, debts) => {
      if (world.model.requests.length === 1) meter.refusal = "No more.";
      return reserve(ask, debts);
    };
    send(world, "hi");
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "assistant: call look", "tool_result: seen", "assistant: "]);
    expect(failure(world)).toEqual([{ reason: "failed", error: "No more." }]);
  });

  it("[Y-21] while nobody can be asked, it is tried like a request, and after five times the turn fails saying so", async () => {
    const { world, meter } = metered();
    meter.failures = 4;
    send(world, "hi");
    await world.run();
    expect(lines(world).at(-1)).toBe("assistant: Hello.");

    meter.failures = 5;
    send(world, "again");
    await world.run();
    expect(failure(world)).toEqual([
      { reason: "failed", error: "The server cannot check what you may spend now; try again." },
    ]);
    expect(world.model.requests).toHaveLength(1);
  });

  it("[Y-21] a repeat that cannot be checked keeps the request as it was pinned", async () => {
    let model = "test/first";
    const { world, meter } = metered({
      settings: () => ({ model, thinking: "off", offers: () => true }),
      script: (_request, nth) => {
        if (nth > 0) return { text: "ok" };
        meter.failures = 2;
        model = "test/second";
        return { error: {} };
      },
    });
    send(world, "hi");
    await world.run();
    expect(world.model.requests.map((request) => request.model)).toEqual(["test/first", "test/first"]);
    expect(meter.open).toEqual([]);
  });
});

describe("what requests come to", () => {
  it("[Y-22] an answer: what the vendor counted; each attempt by itself", async () => {
    const script: Script = (_request, nth) => {
      if (nth === 0) return { error: { usage: { ...SCRIPTED_USAGE, costMicros: 3 } } };
      return nth === 1 ? { error: { kind: "rate_limit" } } : { text: "ok" };
    };
    const { world, meter } = metered({ script });
    send(world, "hi");
    await world.run();
    expect(Object.values(meter.spent)).toEqual([3, 0, 7]);
  });

  it("[Y-22] a request that broke off: its input and what had streamed", async () => {
    const script: Script = (_request, nth) =>
      nth === 0 ? { text: "abcdefgh", error: { kind: "cut" } } : { text: "ok" };
    const { world, meter } = metered({ script });
    send(world, "hi");
    await world.run();
    const [first] = Object.values(meter.spent);
    // Four of the eight letters came: one token at 10. The input is a few words at 2.
    expect(first).toBeGreaterThan(10);
    expect(first).toBeLessThan(100);
  });

  it("[Y-22] a stop: what the aborted request cost, or else an estimate", async () => {
    for (const usage of [{ ...SCRIPTED_USAGE, costMicros: 5 }, undefined]) {
      const { world, meter } = metered({
        script: () => ({ text: "abcdefgh", between: untilAborted, error: { ...(usage && { usage }) } }),
      });
      send(world, "hi");
      await world.run(() => world.model.requests.length === 1 && world.deltas.length > 0);
      world.kernel.stop();
      await world.run();
      const [spent] = Object.values(meter.spent);
      if (usage) expect(spent).toBe(5);
      else expect(spent).toBeGreaterThan(10);
      expect(meter.open).toEqual([]);
    }
  });

  it("[Y-22] a turn that ends before its request leaves gives back what was set aside", async () => {
    const { world, meter } = metered();
    const reserve = meter.reserve.bind(meter);
    meter.reserve = async (ask, debts) => {
      const answer = await reserve(ask, debts);
      world.kernel.stop();
      return answer;
    };
    send(world, "hi");
    await world.run();
    expect(world.model.requests).toEqual([]);
    expect(Object.values(meter.spent)).toEqual([0]);
    expect(meter.open).toEqual([]);
  });
});

describe("a stop while the question is under way", () => {
  it("[Y-22] what is granted afterwards is given back", async () => {
    const { world, meter } = metered();
    const gate = Promise.withResolvers<void>();
    let isAsked = false;
    const reserve = meter.reserve.bind(meter);
    meter.reserve = async (ask, debts) => {
      isAsked = true;
      await gate.promise;
      return await reserve(ask, debts);
    };
    send(world, "hi");
    await world.run(() => isAsked);
    world.kernel.stop();
    await world.run();
    expect(world.control.turn).toBeNull();
    gate.resolve();
    await world.run();
    expect(meter.accounts.size).toBe(2);
    expect(meter.open).toEqual([]);
  });
});

describe("telling", () => {
  it("[Y-24] goes with the next question; alone once the turn rests; never twice in one life", async () => {
    const script: Script = (_request, nth) => (nth < 2 ? callLook : { text: "ok" });
    const { world, meter } = metered({ tools: [look], script });
    send(world, "hi");
    await world.run();
    const task = 2;
    expect(meter.calls).toEqual([
      `reserve ${task}/1`,
      `reserve ${task}/2`,
      `reserve ${task}/3`,
      `settle ${task}/3 turn/${task}`,
    ]);
    expect([...meter.accounts.values()].every(({ times }) => times === 1)).toBe(true);
    expect(meter.unknown).toEqual([]);
  });

  it("[Y-24] what could not be told goes with whatever happens next", async () => {
    const { world, meter } = metered();
    send(world, "hi");
    await world.run(() => {
      if (world.control.turn === null && world.model.requests.length === 1) meter.failures = 1;
      return false;
    });
    meter.failures = 0;
    send(world, "again");
    await world.run();
    expect(meter.open).toEqual([]);
  });

  it.each(TURN_COSTS)("[Y-24] costs no row and no alarm more: $name", async ({ options, play, costs }) => {
    const { world } = metered(options);
    await say("before")(world);
    world.costs.length = 0;
    await play(world);
    expect(world.costs.map(({ rows, alarms }) => [rows, alarms])).toEqual(costs);
  });

  it("[Y-24] without a meter nothing about money is stored", async () => {
    const world = started(turnOptions);
    await say("hi")(world);
    expect(Object.keys(world.control)).not.toContain("owed");
  });

  it("[Y-29] keeps 100 debts; for one more the oldest goes and is reported", async () => {
    const { world } = metered();
    await say("hi")(world);
    const faults: string[] = [];
    const parts = { ports: { clock: world.clock, report: { report: () => undefined } }, calls: { count: 0 } };
    const store = { control: world.control, onCommit: () => () => undefined };
    const till = new Till(new FakeMeter(), { ...parts, store } as never);
    const tx = { control: { owed: [] as { key: string }[] }, fault: (event: string) => faults.push(event) };
    for (let nth = 1; nth <= MAX_OWED; nth++) till.owe(tx as never, { key: `${nth}`, actor: "p_anna", micros: 1 });
    expect([tx.control.owed.length, tx.control.owed[0]?.key, faults]).toEqual([MAX_OWED, "1", []]);
    till.owe(tx as never, { key: "more", actor: "p_anna", micros: 1 });
    expect([tx.control.owed.length, tx.control.owed[0]?.key, faults]).toEqual([MAX_OWED, "2", ["meter.forgotten"]]);
  });
});

describe("turns", () => {
  it("[Y-33] a turn is begun with its first request, once, and ended when it ends", async () => {
    const { world, meter } = metered({
      tools: [look],
      script: (_request, nth) => (nth === 0 ? callLook : { text: "ok" }),
    });
    send(world, "hi");
    await world.run();
    const turns = [...meter.accounts].filter(([key]) => key.startsWith("turn/"));
    expect(turns).toMatchObject([["turn/2", { micros: 0, times: 1 }]]);
  });

  it("[Y-33] one that waits for people only is told as ended, and goes on uncounted", async () => {
    const { world, meter } = metered({
      tools: [look],
      script: (_request, nth) => (nth === 0 ? callLook : { text: "ok" }),
      register: (registry, kernel) => registerGate(registry, kernel, "look"),
    });
    send(world, "hi");
    await world.run();
    expect(world.control.turn).not.toBeNull();
    expect(meter.open).toEqual([]);
    decideAll(world.kernel, "approved");
    await world.run();
    expect(lines(world).at(-1)).toBe("assistant: ok");
    expect(meter.open).toEqual([]);
  });
});

describe("a model that costs nothing", () => {
  function free(options: WorldOptions = {}) {
    const { world, meter } = metered(options);
    meter.isFreeOfCharge = true;
    return { world, meter };
  }

  it("[Y-27] its request is committed while the turn is counted, and leaves only after that", async () => {
    const { world, meter } = free();
    const seen: unknown[] = [];
    const reserve = meter.reserve.bind(meter);
    meter.reserve = async (ask, debts) => {
      for (let i = 0; i < 50; i++) await Promise.resolve();
      seen.push(Object.values(world.control.tasks)[0]?.checkpoint.phase, world.model.requests.length);
      return reserve(ask, debts);
    };
    send(world, "hi");
    await world.run();
    expect(seen).toEqual(["requesting", 0]);
    expect(lines(world).at(-1)).toBe("assistant: Hello.");
  });

  it("[Y-27] it is asked for once, when the turn begins", async () => {
    const { world, meter } = free({
      tools: [look],
      script: (_request, nth) => (nth === 0 ? callLook : { text: "ok" }),
    });
    send(world, "hi");
    await world.run();
    expect(meter.calls).toEqual(["reserve 2/1", "settle turn/2"]);
  });

  it("[Y-27] [Y-32] a refusal ends the turn with its words; nothing leaves", async () => {
    const { world, meter } = free();
    meter.refusal = "You have 2 turns running.";
    send(world, "hi");
    await world.run();
    expect(failure(world)).toEqual([{ reason: "failed", error: "You have 2 turns running." }]);
    expect(world.model.requests).toEqual([]);
    expect(meter.open).toEqual([]);
    meter.refusal = undefined;
    send(world, "again");
    await world.run();
    expect(lines(world).at(-1)).toBe("assistant: Hello.");
  });

  it("[Y-21] [Y-27] while it cannot be counted nothing leaves, the request stays pinned, and after five times the turn fails", async () => {
    const { world, meter } = free({
      settings: () => ({
        model: meter.failures === 4 ? "test/first" : "test/second",
        thinking: "off",
        offers: () => true,
      }),
    });
    meter.failures = 4;
    send(world, "hi");
    await world.run();
    expect(world.model.requests.map((request) => request.model)).toEqual(["test/first"]);
    expect(meter.calls).toEqual(["reserve 2/5", "settle turn/2"]);

    meter.failures = 5;
    send(world, "again");
    await world.run();
    expect(failure(world)).toMatchObject([{ error: "The server cannot check what you may spend now; try again." }]);
    expect(world.model.requests).toHaveLength(1);
  });
});

describe("summaries", () => {
  it("[Y-25] each request of a summary is asked for and settled; a refusal ends it, and the turn answers for itself", async () => {
    const { world, meter } = metered({ script: () => ({ text: "short" }) });
    for (const text of ["a", "b", "c"]) {
      send(world, text + "x".repeat(4_000));
      await world.run();
    }
    world.kernel.compact();
    await world.run();
    const summary = Object.keys(meter.spent).find((key) => key.includes("."));
    expect(summary).toBeDefined();
    expect(meter.spent[summary ?? ""]).toBe(7);
    send(world, "d".repeat(4_000));
    await world.run();
    meter.refusal = "No more.";
    world.kernel.compact();
    await world.run();
    expect(
      world.commits.flatMap(({ events }) => events).findLast(({ type }) => type === "compaction.failed"),
    ).toMatchObject({
      code: "spending",
      error: "No more.",
    });
  });
});
