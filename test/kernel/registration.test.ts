import { describe, expect, it } from "vitest";
import {
  defineEntry,
  defineNamespace,
  defineTask,
  type Hooks,
  type Namespace,
  Registry,
  type Tool,
} from "../../src/kernel/index.ts";
import { CORE_CONFIG } from "../../src/kernel/state/core-config.ts";
import type { Json, JsonObject } from "../../src/lib/json.ts";
import { callsThen, guarded, tasksOf, until } from "./guarded.ts";
import { containing, lines, NOTES, results, send, tool } from "./make.ts";
import { started } from "./started.ts";

const done = () => Promise.resolve({ kind: "complete", result: null } as const);
const kindNamed = (kind: string) =>
  defineTask<null, { readonly phase: "start" }>({
    kind,
    initial: () => ({ phase: "start" }),
    phases: { start: done },
  });

describe("names and documents", () => {
  it("[K-46] [I-46] a key belongs to one of a namespace's two documents", () => {
    const both = () => defineNamespace({ name: "both", sticky: { a: 1, b: 1 }, rewindable: { b: 2 } });
    expect(both).toThrow("Namespace both: b is declared sticky and rewindable; it belongs to one document.");
    const { defaults, rewindable } = defineNamespace({ name: "two", sticky: { a: 1 }, rewindable: { b: 2 } });
    expect([defaults, [...rewindable]]).toEqual([{ a: 1, b: 2 }, ["b"]]);
  });

  it.each([
    ["namespace", () => defineNamespace({ name: "core.mine", sticky: {} })],
    ["task kind", () => kindNamed("core.generation")],
    ["entry kind", () => defineEntry({ kind: "core.user" })],
  ])("[K-46] [A-22] [I-82] a %s cannot be named under core.", (_what, define) => {
    expect(define).toThrow(/names under core\. belong to the kernel; choose another/);
  });

  it.each(["Upper", "", "a b", `a${"x".repeat(64)}`, 7 as unknown as string])(
    "[K-46] [I-45] kinds cannot be named %j either",
    (name) => {
      expect(() => kindNamed(name)).toThrow(/must match .*: rename it/);
      expect(() => defineEntry({ kind: name })).toThrow(/must match .*: rename it/);
    },
  );

  it("[K-46] [B-1] what was not defined by the kernel's own functions is not registered under its names", () => {
    const registry = new Registry();
    const forged = { ...kindNamed("mine"), kind: "core.tool" };
    expect(() => registry.registerTaskKind(forged)).toThrow(/names under core\./);
    const namespace = { ...NOTES, name: "core.pins" } as Namespace<JsonObject>;
    expect(() => registry.namespace(namespace)).toThrow("Namespace core.pins must be made by defineNamespace.");
    expect(registry.namespaces()).toEqual([]);
  });

  it("[K-46] defaults that are not JSON are refused, naming the key", () => {
    const dated = () => defineNamespace({ name: "dated", sticky: { at: new Date(0) as unknown as Json } });
    expect(dated).toThrow("dated.at cannot be stored: an instance of Date cannot be stored.");
  });

  it("[K-46] a phase in flight without a handler is refused", () => {
    const define = () =>
      defineTask<null, { readonly phase: "start" }>({
        kind: "mine",
        initial: () => ({ phase: "start" }),
        phases: { start: done },
        inFlight: ["send" as "start"],
      });
    expect(define).toThrow("Task kind mine has no handler for its phase send.");
  });
});

describe("a later deploy", () => {
  type State = { readonly kept: number; readonly gone: string; readonly fresh: string };

  it("[K-47] [I-48] fills in what it declares anew and reads no more what it does not declare, in both documents", () => {
    const old = defineNamespace<Pick<State, "gone">, Pick<State, "kept">>({
      name: "versioned",
      sticky: { gone: "x" },
      rewindable: { kept: 0 },
    });
    const next = defineNamespace<Pick<State, "fresh">, Pick<State, "kept">>({
      name: "versioned",
      sticky: { fresh: "new" },
      rewindable: { kept: 9 },
    });
    let isNext = false;
    const world = started({
      register: (registry) => {
        if (isNext) registry.namespace(next);
        else registry.namespace(old);
      },
    });
    world.kernel.commit((tx) => tx.set(old, { gone: "kept", kept: 4 }));
    world.crash();
    isNext = true;
    expect(world.start().get(next)).toEqual({ fresh: "new", kept: 4 });
    world.kernel.commit((tx) => tx.set(next, { fresh: "set", kept: 5 }));
    world.crash();
    isNext = false;
    expect(world.start().get(old), "a rollback finds what it had stored").toEqual({ gone: "kept", kept: 5 });
  });

  it("[K-47] [I-47] a key that moved to the other document has its default there", () => {
    const sticky = defineNamespace({ name: "moved", sticky: { value: 0 } });
    const moved = defineNamespace({ name: "moved", rewindable: { value: 1 } });
    let isMoved = false;
    const world = started({
      register: (registry) => {
        if (isMoved) registry.namespace(moved);
        else registry.namespace(sticky);
      },
    });
    world.kernel.commit((tx) => tx.set(sticky, { value: 7 }));
    world.crash();
    isMoved = true;
    expect(world.start().get(moved)).toEqual({ value: 1 });
    world.kernel.commit((tx) => tx.set(moved, { value: 8 }));
    world.crash();
    isMoved = false;
    expect(world.start().get(sticky), "each document keeps its own").toEqual({ value: 7 });
  });
});

describe("creating tasks", () => {
  const stale = /StaleDefinition: task kind mine is not the one registered now/;

  it("[K-49] [I-71] [A-15] [B-1] takes the live definition itself, not one that is equal, older or not registered", () => {
    const world = started();
    const first = kindNamed("mine");
    const create = (definition: typeof first) => () => world.kernel.commit((tx) => tx.createTask(definition, null));
    expect(create(first), "not registered").toThrow(stale);
    const undo = world.registry.registerTaskKind(first);
    expect(create(kindNamed("mine")), "equal").toThrow(stale);
    expect(create({ ...first }), "a copy").toThrow(stale);
    undo();
    world.registry.registerTaskKind(kindNamed("mine"));
    expect(create(first), "older").toThrow(stale);
    undo();
    expect(create(first), "a second undo").toThrow(stale);
    expect(tasksOf(world)).toEqual([]);
  });

  it("[K-49] [I-72] a kind that says another name when it is used creates nothing of that name", async () => {
    let asked = 0;
    const shifty = {
      ...kindNamed("mine"),
      get kind() {
        return asked++ < 2 ? "mine" : "core.tool";
      },
    };
    const world = started();
    world.registry.registerTaskKind(shifty);
    const task = world.kernel.commit((tx) => tx.createTask(shifty, null));
    expect(tasksOf(world).map(({ kind }) => kind)).toEqual(["mine"]);
    await world.run();
    expect(world.kernel.receipt(task)).toMatchObject({ kind: "mine", outcome: "completed" });
  });

  it("[K-49] [I-58] a task cannot begin in flight", () => {
    const world = started();
    const eager = defineTask<null, { readonly phase: "send" }>({
      kind: "eager",
      initial: () => ({ phase: "send" }),
      phases: { send: done },
      inFlight: ["send"],
    });
    world.registry.registerTaskKind(eager);
    const create = () => world.kernel.commit((tx) => tx.createTask(eager, null));
    expect(create).toThrow("eager cannot begin in the phase send, which is in flight.");
  });
});

describe("one snapshot a step", () => {
  it("[K-50] what is registered during a step is offered from the next one on", async () => {
    const late = tool("late", () => Promise.resolve({ text: "late" }));
    const grow = tool("grow", () => {
      world.registry.registerTool(late);
      return Promise.resolve({ text: "grown" });
    });
    const world = started({ tools: [grow], script: callsThen("grow", "late") });
    send(world, "go");
    await world.run();
    expect(results(world)).toEqual([
      { outcome: "ok", text: "grown" },
      { outcome: "error", code: "not_offered", text: containing("There is no tool") },
    ]);
    const offered = world.model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(offered).toEqual([["grow"], ["grow", "late"]]);
  });

  it("[K-50] a call ends with the code that its check found, also when that is taken away meanwhile", async () => {
    const undo: (() => void)[] = [];
    const named = (name: string): Tool =>
      tool(name, async () => {
        for (const one of undo) one();
        await Promise.resolve();
        return { text: "ended as it began" };
      });
    const slow: Hooks = {
      beforeTool: async (call) => {
        if (call.tool.name === "second") await world.clock.wait(world.clock.now() + 1_000, call.signal);
        return { kind: "pass" };
      },
    };
    const world = started({ script: callsThen("first", "second"), register: (one) => void one.hooks(NOTES, slow) });
    undo.push(...["first", "second"].map((name) => world.registry.registerTool(named(name))));
    send(world, "go");
    await world.run();
    expect(results(world).map(({ text }) => text)).toEqual(["ended as it began", "ended as it began"]);
    expect(world.model.requests[1]?.tools).toEqual([]);
  });

  it("[K-50] [A-32] a handler that is taken back while it runs decides, and is not asked again", async () => {
    const gate = Promise.withResolvers<void>();
    let asked = 0;
    const block: Hooks = {
      beforeTool: async () => {
        asked++;
        await gate.promise;
        return { kind: "block", code: "denied", text: "Never." };
      },
    };
    const { world, runs } = guarded([], {
      script: (_request, nth) => (nth < 2 ? { calls: [{ name: "work", args: "{}" }] } : { text: "Done." }),
    });
    const undo = world.registry.hooks(NOTES, block);
    send(world, "go");
    await until(world, () => asked === 1);
    undo();
    gate.resolve();
    await world.run();
    expect(results(world)).toEqual([
      { outcome: "blocked", code: "denied", text: "Never." },
      { outcome: "ok", text: "worked" },
    ]);
    expect([asked, runs]).toEqual([1, [{}]]);
    expect(lines(world).at(-1)).toBe("assistant: Done.");
  });

  it("[K-50] [D-5] [I-84] a task goes on with a newer kind at its next phase; the handler under way ends as it began", async () => {
    type At = { readonly phase: "one" } | { readonly phase: "two" };
    const gate = Promise.withResolvers<void>();
    const version = (name: string) =>
      defineTask<null, At>({
        kind: "mine",
        initial: () => ({ phase: "one" }),
        phases: {
          async one() {
            await gate.promise;
            ran.push(`${name} one`);
            return { kind: "next", checkpoint: { phase: "two" } };
          },
          two: () => Promise.resolve({ kind: "complete", result: name }),
        },
      });
    const ran: string[] = [];
    const world = started();
    const old = version("old");
    const undo = world.registry.registerTaskKind(old);
    const task = world.kernel.commit((tx) => tx.createTask(old, null));
    await until(world, () => false);
    undo();
    world.registry.registerTaskKind(version("new"));
    gate.resolve();
    await world.run();
    expect(ran).toEqual(["old one"]);
    expect(world.kernel.receipt(task)?.result).toBe("new");
  });
});

describe("configuration", () => {
  const kindWith = (kind: string, config: JsonObject) => ({ ...kindNamed(kind), config });
  const configOf = (world: ReturnType<typeof started>) => {
    const { config } = world.kernel.snapshot().view;
    return Object.fromEntries(Object.entries(config).filter(([key]) => !Object.hasOwn(CORE_CONFIG, key)));
  };

  it("[K-51] [I-52] [I-54] what was set, null included, wins over the default; taken back, the default shows again", () => {
    const kind = kindWith("mine", { depth: 2, mode: "fast" });
    const world = started({ register: (registry) => void registry.registerTaskKind(kind) });
    expect(configOf(world)).toEqual({ depth: 2, mode: "fast" });
    world.kernel.commit((tx) => {
      tx.configure("depth", null);
      tx.configure("mode", "slow");
    });
    expect(configOf(world)).toEqual({ depth: null, mode: "slow" });
    expect([world.kernel.config("depth"), world.kernel.config("none")]).toEqual([null, undefined]);
    world.crash();
    world.start();
    expect(configOf(world)).toEqual({ depth: null, mode: "slow" });
    world.kernel.commit((tx) => tx.configure("depth", undefined));
    expect(configOf(world)).toEqual({ depth: 2, mode: "slow" });
  });

  it("[K-51] [I-53] a key declared twice is refused, and a kind that is taken back frees its keys, those alone", () => {
    const registry = new Registry();
    const config: { [key: string]: Json } = { depth: 1 };
    const undo = registry.registerTaskKind(kindWith("one", config));
    const other = kindWith("other", { width: 1, depth: 2 });
    expect(() => registry.registerTaskKind(other)).toThrow("A configuration key named depth is registered already");
    expect(registry.task("other"), "nothing of it stands").toBeUndefined();
    expect(() => registry.registerTaskKind(kindWith("third", { compactAt: 1 }))).toThrow(/compactAt is registered/);
    registry.registerTaskKind(kindWith("wide", { width: 3 }));
    // A definition that changes after its registration takes nobody else's keys away with it.
    config["width"] = 4;
    undo();
    undo();
    expect([...registry.configDefaults()]).toEqual([["width", 3]]);
    registry.registerTaskKind(kindWith("again", { depth: 5 }));
  });

  it("[K-51] an unknown key is refused with the nearest, a value must be JSON, a default too", () => {
    const world = started({ register: (one) => void one.registerTaskKind(kindWith("mine", { depth: 2 })) });
    const set = (key: string, value: Json) => () => world.kernel.commit((tx) => tx.configure(key, value));
    expect(set("detph", 1)).toThrow('There is no configuration key "detph": did you mean depth?');
    expect(set("depth", Number.NaN)).toThrow("depth cannot be stored: NaN is not a JSON number.");
    expect(() => world.registry.registerTaskKind(kindWith("bad", { at: new Date(0) as unknown as Json }))).toThrow(
      "the configuration of bad.at cannot be stored",
    );
    expect(configOf(world)).toEqual({ depth: 2 });
  });

  it("[K-51] a value read or declared is a copy", () => {
    const list = ["a"];
    const world = started({ register: (one) => void one.registerTaskKind(kindWith("mine", { list })) });
    list.push("b");
    expect(world.kernel.config("list")).toEqual(["a"]);
  });
});
