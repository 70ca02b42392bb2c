import { describe, expect, it } from "vitest";
import { defineNamespace, type Hooks, type Registry } from "../../src/kernel/index.ts";
import type { Message } from "../../src/protocol/message.ts";
import { untilAborted } from "../kit/scripted-model.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { containing, entriesOf, lines, results, send, tool } from "./make.ts";
import { started } from "./started.ts";

const FIRST = defineNamespace({ name: "first", sticky: { n: 0 } });
const SECOND = defineNamespace({ name: "second", sticky: { n: 0 } });

/** A world with handlers of two namespaces, the first's before the second's. */
function hooked(first: Hooks, second: Hooks = {}, options: WorldOptions = {}) {
  return started({
    ...options,
    register: (registry, kernel) => {
      for (const [namespace, hooks] of [
        [FIRST, first],
        [SECOND, second],
      ] as const) {
        registry.namespace(namespace);
        registry.hooks(namespace, hooks);
      }
      options.register?.(registry, kernel);
    },
  });
}

const look = tool("look", () => Promise.resolve({ text: "seen" }));

const callsOnce =
  (...names: string[]) =>
  (_request: unknown, nth: number) =>
    nth === 0 ? { calls: names.map((name) => ({ name, args: "{}" })) } : { text: "Done." };

const userMessage = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

const broken = () => {
  throw new Error("broken handler");
};

function section(registry: Registry, name: string, kind: "stable" | "volatile", text: string): void {
  registry.registerSection({ name, kind, render: () => text });
}

describe("the prompt", () => {
  const register = (registry: Registry) => {
    section(registry, "persona", "stable", "Be kind.");
    section(registry, "time", "volatile", "It is noon.");
  };

  it("[T-41] [T-40] is edited by one handler after the other, each on what came before", async () => {
    const world = hooked(
      {
        systemInstructions: (draft) => {
          draft.stable.push({ name: "rules", text: "Be brief." });
          draft.volatile = [];
        },
      },
      {
        systemInstructions: async (draft) => {
          await Promise.resolve();
          draft.stable = draft.stable.map((part) => ({ ...part, text: part.text.toUpperCase() }));
        },
      },
      { register },
    );
    send(world, "hi");
    await world.run();
    expect(world.model.requests[0]).toMatchObject({ system: "BE KIND.\n\nBE BRIEF.", volatile: "" });
  });

  it("[T-41] what a handler that throws changed is not in it, and the next one goes on", async () => {
    const world = hooked(
      {
        systemInstructions: (draft) => {
          draft.stable.length = 0;
          broken();
        },
      },
      { systemInstructions: (draft) => void draft.stable.push({ name: "more", text: "Be brief." }) },
      { register },
    );
    send(world, "hi");
    await world.run();
    expect(world.model.requests[0]?.system).toBe("Be kind.\n\nBe brief.");
    expect(world.reports).toContainEqual({
      event: "hook.failed",
      facts: { hook: "systemInstructions", namespace: "first", error: containing("broken handler") },
    });
  });

  it("[T-41] [I-43] [I-44] an unchanged prompt with unchanged tools appends nothing; changed tools alone do", async () => {
    let extra = false;
    const world = hooked(
      {},
      {},
      {
        register,
        tools: [look, tool("more", () => Promise.resolve({ text: "" }))],
        settings: () => ({ model: "test/model", thinking: "off", offers: ({ name }) => extra || name === "look" }),
      },
    );
    for (const text of ["one", "two"]) {
      send(world, text);
      await world.run();
    }
    expect(entriesOf(world, "core.system")).toHaveLength(1);
    extra = true;
    send(world, "three");
    await world.run();
    expect(entriesOf(world, "core.system")).toHaveLength(2);
    expect(world.model.requests[2]?.tools.map(({ name }) => name)).toEqual(["look", "more"]);
  });
});

describe("the messages of a request", () => {
  it("[T-42] [T-40] are replaced in order, in every attempt, and never stored", async () => {
    const world = hooked(
      { beforeRequest: (messages) => Promise.resolve([...messages, userMessage("[first]")]) },
      { beforeRequest: (messages) => Promise.resolve([...messages, userMessage("[second]")]) },
      { script: (_request, nth) => (nth === 0 ? { error: {} } : { text: "ok" }) },
    );
    send(world, "hi");
    await world.run();
    const edited = [userMessage("hi"), userMessage("[first]"), userMessage("[second]")];
    expect(world.model.requests.map(({ messages }) => messages)).toEqual([edited, edited]);
    expect(lines(world)).toEqual(["user: hi", "assistant: ok"]);
  });

  it.each<[string, Message[]]>([
    ["nothing", []],
    ["an answer first", [{ role: "assistant", content: [{ type: "text", text: "hm" }], stop: "end" }]],
    [
      "a call without a result",
      [
        userMessage("hi"),
        { role: "assistant", content: [{ type: "call", id: "c", name: "look", args: "{}" }], stop: "calls" },
      ],
    ],
    ["empty words", [userMessage("")]],
  ])("[T-42] what a vendor would refuse is not used: %s", async (_what, messages) => {
    const world = hooked({ beforeRequest: () => Promise.resolve(messages) });
    send(world, "hi");
    await world.run();
    expect(world.model.requests[0]?.messages).toEqual([userMessage("hi")]);
    expect(world.reports[0]).toMatchObject({ event: "hook.failed", facts: { hook: "beforeRequest" } });
  });

  it("[T-42] a handler cannot change what another one or the transcript holds", async () => {
    const world = hooked({
      beforeRequest: (messages) => {
        const [message] = messages as unknown as { content: { text: string }[] }[];
        if (message?.content[0]) message.content[0].text = "changed";
        return Promise.resolve(undefined);
      },
    });
    send(world, "hi");
    await world.run();
    expect(world.model.requests[0]?.messages).toEqual([userMessage("hi")]);
  });
});

describe("observers", () => {
  it("[T-43] see each response before it is acted upon, failures too", async () => {
    const seen: string[] = [];
    const world = hooked(
      {
        afterResponse: (response, { step }) => {
          const what = "error" in response ? response.error.kind : response.usage.output;
          seen.push(`${step}: ${what}, ${entriesOf(world, "core.assistant").length} answers`);
          return Promise.reject(new Error("observers stop nothing"));
        },
      },
      {},
      { script: (_request, nth) => (nth === 0 ? { error: {} } : { text: "ok" }) },
    );
    send(world, "hi");
    await world.run();
    expect(seen).toEqual(["1: overloaded, 0 answers", "1: 5, 0 answers"]);
    expect(lines(world)).toEqual(["user: hi", "assistant: ok"]);
  });

  it("[T-43] see a step's calls when all have their results, in call order", async () => {
    const seen: unknown[] = [];
    const world = hooked(
      {
        afterTools: (calls, { step }) => {
          seen.push([step, calls.map(({ name, outcome }) => `${name} ${outcome}`), results(world).length]);
          return Promise.resolve();
        },
      },
      {},
      { tools: [look, tool("bad", () => Promise.reject(new Error("no")))], script: callsOnce("bad", "look") },
    );
    send(world, "go");
    await world.run();
    expect(seen).toEqual([[1, ["bad error", "look ok"], 2]]);
  });

  it("[T-43] [R-21] may see a step again after a death between them and the next request", async () => {
    let seen = 0;
    const world = hooked(
      {
        afterTools: () => {
          seen++;
          if (seen === 1) world.crash();
          return Promise.resolve();
        },
      },
      {},
      { tools: [look], script: callsOnce("look") },
    );
    send(world, "go");
    await world.run();
    expect(seen).toBe(2);
    expect(lines(world).at(-1)).toBe("assistant: Done.");
  });
});

describe("going on after a final answer", () => {
  const again = (times: number): Hooks => ({
    onYield: (_answer, { step }) => Promise.resolve(step <= times ? `Go on, ${step}.` : undefined),
  });

  it("[T-44] [C-16] the inputs stay placed until the last answer, which is theirs", async () => {
    const states: unknown[] = [];
    const world = hooked(
      again(1),
      { onYield: () => Promise.resolve("never asked when the first decides") },
      {
        script: (_request, nth) => {
          states.push(world.kernel.input("p_anna:hi")?.state.status);
          return { text: `answer ${nth}` };
        },
      },
    );
    send(world, "hi");
    await world.run(() => world.model.requests.length === 3);
    expect(states.slice(0, 2)).toEqual(["placed", "placed"]);
    expect(lines(world).slice(0, 4)).toEqual([
      "user: hi",
      "assistant: answer 0",
      "notice: Go on, 1.",
      "assistant: answer 1",
    ]);
  });

  it("[T-44] ends when nobody wants more, as one turn", async () => {
    const world = hooked(again(2));
    send(world, "hi");
    await world.run();
    expect(lines(world).filter((line) => line.startsWith("assistant"))).toHaveLength(3);
    const events = world.commits.flatMap((frame) => frame.events.map(({ type }) => type));
    expect(events.filter((type) => type === "turn.started" || type === "turn.ended")).toHaveLength(2);
    const state = world.kernel.input("p_anna:hi")?.state;
    expect(state).toMatchObject({ status: "done", answer: entriesOf(world, "core.assistant").at(-1)?.id });
  });

  it("[T-44] [C-16] whoever said something meanwhile comes first", async () => {
    let asked = 0;
    const world = hooked({
      onYield: () => {
        asked++;
        if (asked === 1) send(world, "wait");
        return Promise.resolve(asked === 1 ? "Go on." : undefined);
      },
    });
    send(world, "hi");
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello.", "user: wait", "assistant: Hello."]);
  });

  it("[T-44] [C-16] a reset asked for meanwhile comes first", async () => {
    const world = hooked({
      onYield: () => {
        expect(world.kernel.history.reset("p_anna")).toBe("queued");
        return Promise.resolve("Go on.");
      },
    });
    send(world, "hi");
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello.", "reset: "]);
    expect(world.kernel.input("p_anna:hi")?.state.status).toBe("done");
  });

  it("[T-44] its steps are bounded like any turn's", async () => {
    const world = hooked(again(1_000));
    send(world, "hi");
    await world.run();
    expect(world.model.requests).toHaveLength(50);
    expect(entriesOf(world, "core.assistant").at(-1)?.data).toMatchObject({
      display: { reason: "failed", error: containing("50 model steps") },
    });
  });

  it("[T-44] a death before the commit asks again, one after it does not", async () => {
    let asked = 0;
    const world = hooked({
      onYield: (_answer, { step }) => {
        if (step !== 1) return Promise.resolve(undefined);
        asked++;
        if (asked === 1) world.crash();
        return Promise.resolve("Go on.");
      },
    });
    send(world, "hi");
    await world.run();
    expect(asked).toBe(2);
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello.", "notice: Go on.", "assistant: Hello."]);
  });
});

describe("beside a call", () => {
  it("[T-45] [A-3] [A-4] a decision stored by a handler is found again after a death; one not stored is made again", async () => {
    const made: string[] = [];
    const world = hooked(
      {
        beforeTool: async (call, api) => {
          const known = api.recall("decision");
          if (known === undefined) {
            made.push(`decided ${call.task}`);
            if (made.length === 1) world.crash();
            api.memo("decision", "yes");
            if (made.length === 2) world.crash();
          }
          await Promise.resolve();
          return { kind: "pass" };
        },
      },
      {},
      { tools: [look], script: callsOnce("look") },
    );
    send(world, "go");
    await world.run();
    expect(made).toHaveLength(2);
    expect(results(world)).toEqual([{ outcome: "ok", text: "seen" }]);
  });

  it("[T-45] [A-1] [A-2] [A-6] memos are first writer wins, null counts, and two namespaces do not meet", async () => {
    const seen: unknown[] = [];
    const both: Hooks = {
      beforeTool: (_call, api) => {
        const first = [api.recall("m"), api.memo("m", null), api.memo("m", 1), api.recall("m")];
        seen.push(first);
        return Promise.resolve({ kind: "pass" });
      },
    };
    const world = hooked(both, both, { tools: [look], script: callsOnce("look") });
    send(world, "go");
    await world.run();
    expect(seen).toEqual([
      [undefined, null, null, null],
      [undefined, null, null, null],
    ]);
  });

  it("[T-45] [I-87] a handler announces under its own namespace; a tool reads what a handler stored", async () => {
    const reads = tool("reads", (_input, context) => {
      return Promise.resolve({
        text: JSON.stringify([context.recall(FIRST, "who"), context.recall(SECOND, "who") ?? 0]),
      });
    });
    const world = hooked(
      {
        beforeTool: (_call, api) => {
          api.memo("who", "anna");
          api.emit("checked", { fine: true });
          return Promise.resolve({ kind: "pass" });
        },
      },
      {},
      { tools: [reads], script: callsOnce("reads") },
    );
    send(world, "go");
    await world.run();
    expect(results(world)).toEqual([{ outcome: "ok", text: '["anna",0]' }]);
    const events = world.commits.flatMap((frame) => frame.events);
    expect(events).toContainEqual({ type: "plugin.first.checked", fine: true });
  });

  it("[T-45] what a handler announces after its call was stopped is refused", async () => {
    const late: unknown[] = [];
    const world = hooked(
      {
        beforeTool: async (call, api) => {
          await untilAborted(call.signal);
          for (const use of [() => api.memo("m", 1), () => api.emit("late", {})]) {
            try {
              late.push(use());
            } catch (error) {
              late.push((error as { code?: string }).code);
            }
          }
          return { kind: "pass" };
        },
      },
      {},
      { tools: [look], script: callsOnce("look") },
    );
    send(world, "go");
    await world.run(() => entriesOf(world, "core.assistant").length === 1, world.clock.now());
    world.kernel.stop();
    await world.run();
    expect(late).toEqual(["revoked", "revoked"]);
  });
});

describe("results", () => {
  it("[T-46] [T-40] are replaced in order before they are stored; a failing handler replaces nothing", async () => {
    const world = hooked(
      { afterTool: (_call, result) => Promise.resolve({ ...result, text: `${result.text}!` }) },
      {
        afterTool: (call, result) =>
          call.tool.name === "look" ? Promise.resolve({ ...result, isError: true, code: "odd" }) : broken(),
      },
      { tools: [look, tool("other", () => Promise.resolve({ text: "x" }))], script: callsOnce("look", "other") },
    );
    send(world, "go");
    await world.run();
    expect(results(world)).toEqual([
      { outcome: "error", code: "odd", text: "seen!" },
      { outcome: "ok", text: "x!" },
    ]);
  });

  it("[T-46] the words about a stopped call are replaced, and it stays stopped", async () => {
    const world = hooked(
      { onAbort: (call, text) => Promise.resolve(`${call.tool.name}: ${text}`) },
      { onAbort: () => Promise.reject(new Error("no")) },
      {
        tools: [
          tool("wait", (_input, { signal }) => untilAborted(signal).then(() => ({ text: "" })), { replay: "safe" }),
        ],
        script: callsOnce("wait"),
      },
    );
    send(world, "go");
    await world.run(() => world.kernel.snapshot().view.turn?.tools[0]?.status === "running", world.clock.now());
    world.kernel.stop();
    await world.run();
    expect(results(world)).toEqual([
      { outcome: "stopped", code: "stopped", text: containing("wait: The person stopped") },
    ]);
  });
});

describe("handlers that fail inside a commit", () => {
  it("[K-71] are undone by themselves and reported; the commit and the other handlers stand", async () => {
    const world = hooked(
      {
        turnEnded: (tx) => {
          tx.set(FIRST, { n: 9 });
          tx.send({ key: "k", target: "nobody", payload: null });
          tx.emit(FIRST, "gone", {});
          tx.createTask({ kind: "unknown", initial: () => ({ phase: "x" }) }, null);
        },
      },
      { turnEnded: (tx) => tx.set(SECOND, { n: 7 }) },
    );
    send(world, "hi");
    await world.run();
    expect(world.kernel.get(FIRST).n).toBe(0);
    expect(world.kernel.get(SECOND).n).toBe(7);
    expect(world.delivered).toEqual([]);
    expect(world.commits.flatMap((frame) => frame.events).some(({ type }) => type.startsWith("plugin."))).toBe(false);
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
    expect(world.reports).toEqual([
      { event: "hook.failed", facts: { hook: "turnEnded", namespace: "first", error: containing("StaleDefinition") } },
    ]);
    expect(world.kernel.isLost).toBe(false);
  });
});

describe("code that takes too long", () => {
  const forever = () => new Promise<never>(() => undefined);

  it("[K-72] a check blocks its call after 60 seconds", async () => {
    const world = hooked({ beforeTool: forever }, {}, { tools: [look], script: callsOnce("look") });
    const from = world.clock.now();
    send(world, "go");
    await world.run();
    expect(results(world)).toEqual([{ outcome: "blocked", code: "check_failed", text: containing("60 s") }]);
    expect(world.clock.now() - from).toBe(60_000);
  });

  it("[K-72] an observer is passed over, a section left out", async () => {
    const world = hooked(
      { afterResponse: forever, systemInstructions: forever },
      {},
      {
        register: (registry) => {
          registry.registerSection({ name: "slow", kind: "stable", render: forever });
          section(registry, "fine", "stable", "Fine.");
        },
      },
    );
    send(world, "hi");
    await world.run();
    expect(world.model.requests[0]?.system).toBe("Fine.");
    expect(lines(world).at(-1)).toBe("assistant: Hello.");
    expect(world.reports.map(({ event }) => event)).toEqual(["section.failed", "hook.failed", "hook.failed"]);
  });

  it("[K-72] settings that never come are asked again within the attempts of a step", async () => {
    let asked = 0;
    const world = hooked(
      {},
      {},
      {
        settings: () => {
          asked++;
          return forever();
        },
      },
    );
    send(world, "hi");
    await world.run();
    expect(asked).toBe(5);
    expect(entriesOf(world, "core.assistant")[0]?.data).toMatchObject({
      display: { reason: "failed", error: containing("60 s") },
    });
  });

  it("[K-72] a delivery without an answer is repeated, and does not keep the loop", async () => {
    let sent = 0;
    const world = hooked({}, {}, { deliver: () => (++sent < 3 ? forever() : Promise.resolve({ status: "sent" })) });
    world.kernel.commit((tx) => tx.send({ key: "k", target: "slow", payload: null }));
    await world.run();
    expect(sent).toBe(3);
    expect(world.control.outbox).toEqual([]);
  });
});
