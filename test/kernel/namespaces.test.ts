import { describe, expect, it } from "vitest";
import { defineNamespace, type Namespace, Registry } from "../../src/kernel/index.ts";
import type { Json, JsonObject } from "../../src/lib/json.ts";
import { plantTask } from "../kit/planted-task.ts";
import { containing, countRows, lines, NOTES, send, tool } from "./make.ts";
import { TEST_KIND, TEST_TASK, testKind } from "./make-task.ts";
import { started } from "./started.ts";

describe("values", () => {
  it("[K-39] [I-47] a stored value, null included, is never overwritten by a default", () => {
    const world = started();
    expect(world.kernel.get(NOTES)).toEqual({ items: [], count: 0, last: "none" });
    expect(countRows(world, "namespaces"), "reading stores nothing").toBe(0);
    world.kernel.commit((tx) => tx.set(NOTES, { last: null, count: 3 }));
    expect(world.kernel.get(NOTES)).toEqual({ items: [], count: 3, last: null });
    world.crash();
    expect(world.start().get(NOTES)).toEqual({ items: [], count: 3, last: null });
  });

  it("[K-39] [A-19] [I-48] another version of a namespace adds its new keys and keeps what is stored", () => {
    let version = 1;
    const next = defineNamespace<{ count: number; fresh: string }>({
      name: "versioned",
      sticky: { count: 9, fresh: "new" },
    });
    const old = defineNamespace<{ count: number; gone: string }>({
      name: "versioned",
      sticky: { count: 0, gone: "x" },
    });
    const tokens: readonly Namespace<JsonObject>[] = [old, next];
    const world = started({
      register: (registry) => {
        registry.namespace(tokens[version - 1] ?? old);
      },
    });
    world.kernel.commit((tx) => tx.set(old, { count: 4, gone: "kept" }));
    world.crash();
    version = 2;
    expect(world.start().get(next)).toMatchObject({ count: 4, fresh: "new" });
    expect(() => world.kernel.commit((tx) => tx.set(next, { gone: 1 } as never))).toThrow(/has no key "gone"/);
    world.kernel.commit((tx) => tx.set(next, { count: 5 }));
    world.crash();
    version = 1;
    expect(world.start().get(old), "a rollback finds its values").toEqual({ count: 5, gone: "kept" });
  });

  it("[K-39] [I-49] a key that was not declared is refused with the nearest declared one", () => {
    const world = started();
    const set = (patch: JsonObject) => () => world.kernel.commit((tx) => tx.set(NOTES, patch as never));
    expect(set({ cuont: 1 })).toThrow('Namespace notes has no key "cuont": did you mean count?');
    expect(set({ somethingElse: 1 })).toThrow("declare it with a default");
    expect(set({ toString: 1 })).toThrow("has no key");
    expect(set(JSON.parse('{"__proto__": 1}') as JsonObject)).toThrow("has no key");
    expect(countRows(world, "namespaces")).toBe(0);
  });

  it.each(["core.x", "Upper", "1st", "", "a b", `a${"x".repeat(64)}`])(
    "[K-42] [I-45] the name %j is refused",
    (name) => {
      expect(() => defineNamespace({ name, sticky: {} })).toThrow(/rename|choose another/);
    },
  );
});

describe("what clients see", () => {
  const hidden = defineNamespace<{ secret: string }>({ name: "hidden", sticky: { secret: "" } });
  const shown = (view: (state: { value: Json }) => Json) =>
    defineNamespace<{ value: Json }>({ name: "shown", sticky: { value: 1 }, view });

  it("[K-40] [A-20] [I-111] only the projection, and nothing of a namespace without one", async () => {
    const world = started({ register: (registry) => void registry.namespace(hidden) });
    world.kernel.commit((tx) => {
      tx.set(hidden, { secret: "pssst" });
      tx.set(NOTES, { count: 2, last: "private" });
    });
    send(world, "hi");
    await world.run();
    expect(world.kernel.snapshot().view.plugins).toEqual({ notes: { count: 2 } });
    expect(JSON.stringify([world.commits, world.kernel.snapshot()])).not.toMatch(/pssst|private|secret/);
  });

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  it.each([
    [
      "throws",
      () => {
        throw new Error("broken view");
      },
    ],
    ["gives undefined", () => undefined],
    ["gives a date", () => new Date(0)],
    ["gives NaN", () => ({ value: Number.NaN })],
    ["gives a cycle", () => cycle],
  ])("[K-40] [I-112] a projection that %s drops its own part, not the commit", async (_name, view) => {
    const broken = shown(view as () => Json);
    const world = started({ register: (registry) => void registry.namespace(broken) });
    world.kernel.commit((tx) => tx.set(broken, { value: 2 }));
    send(world, "hi");
    await world.run();
    expect(world.kernel.snapshot().view.plugins).toEqual({ notes: { count: 0 } });
    expect(world.kernel.get(broken).value).toBe(2);
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
    expect(world.reports[0]).toEqual({
      event: "view.projection_failed",
      facts: { namespace: "shown", error: containing("") },
    });
  });

  it("[K-40] a description of a task that throws drops itself, not the commit", async () => {
    const describeTask = () => {
      throw new Error("broken description");
    };
    const world = started({
      kinds: [testKind({ describe: describeTask })],
    });
    world.crash();
    const id = plantTask(world, { kind: TEST_KIND, status: "sleeping", until: world.clock.now() + 1_000 } as never);
    world.start();
    expect(world.kernel.snapshot().view.tasks).toEqual({ [id]: { kind: "test.kind", status: { phase: "start" } } });
    await world.run();
    expect(world.kernel.receipt(id)?.outcome).toBe("completed");
  });
});

describe("tokens and registrations", () => {
  const stale = (name: string) => new RegExp(`StaleDefinition: .*${name}`);

  it("[K-41] [A-17] after unregistering, every use of the token throws", () => {
    const world = started();
    const token = defineNamespace<{ n: number }>({ name: "passing", sticky: { n: 0 } });
    const undo = world.registry.namespace(token);
    world.kernel.commit((tx) => tx.set(token, { n: 1 }));
    undo();
    const uses: readonly (() => unknown)[] = [
      () => world.kernel.get(token),
      () => world.kernel.commit((tx) => tx.get(token)),
      () => world.kernel.commit((tx) => tx.set(token, { n: 2 })),
      () => world.kernel.commit((tx) => tx.emit(token, "x", {})),
      () => world.registry.hooks(token, {}),
    ];
    for (const use of uses) expect(use, String(use)).toThrow(stale("passing"));
    const again = defineNamespace<{ n: number }>({ name: "passing", sticky: { n: 0 } });
    world.registry.namespace(again);
    for (const use of uses) expect(use, String(use)).toThrow(stale("passing"));
    expect(world.kernel.get(again), "what was stored stays").toEqual({ n: 1 });
  });

  it("[K-41] [A-18] unregistering twice harms no newer registration, of another token or the same", () => {
    const registry = new Registry();
    const token = defineNamespace({ name: "a", sticky: {} });
    const other = defineNamespace({ name: "a", sticky: {} });
    const undo = registry.namespace(token);
    undo();
    registry.namespace(other);
    undo();
    expect(registry.isLive(other)).toBe(true);

    const second = new Registry();
    const undoFirst = second.namespace(token);
    undoFirst();
    second.namespace(token);
    second.hooks(token, {});
    undoFirst();
    expect(second.isLive(token)).toBe(true);
    expect(second.snapshot().hooks).toHaveLength(1);
  });

  it("[K-41] unregistering a namespace takes its handlers with it, and those alone", () => {
    const registry = new Registry();
    const token = defineNamespace({ name: "a", sticky: {} });
    registry.namespace(NOTES);
    const undo = registry.namespace(token);
    registry.hooks(token, {});
    registry.hooks(NOTES, {});
    registry.hooks(token, {});
    const before = registry.snapshot();
    undo();
    expect(registry.snapshot().hooks.map((set) => set.namespace.name)).toEqual(["notes"]);
    expect(before.hooks, "a snapshot taken before is not changed").toHaveLength(3);
  });

  const look = tool("look", () => Promise.resolve({ text: "" }));
  const section = { name: "who", kind: "stable", render: () => "" } as const;
  const kinds: readonly (readonly [string, (registry: Registry) => () => void, (registry: Registry) => number])[] = [
    ["tool", (registry) => registry.registerTool(look), (registry) => registry.snapshot().tools.size],
    ["section", (registry) => registry.registerSection(section), (registry) => registry.snapshot().sections.length],
    ["task kind", (registry) => registry.registerTaskKind(TEST_TASK), (registry) => (registry.task(TEST_KIND) ? 1 : 0)],
    ["namespace", (registry) => registry.namespace(NOTES), (registry) => registry.namespaces().length],
  ];

  it.each(kinds)("[K-42] [I-88] a %s is registered once, and its undo may be called twice", (what, register, count) => {
    const registry = new Registry();
    const undo = register(registry);
    expect(() => register(registry)).toThrow(new RegExp(`A ${what} named .* is registered already`));
    expect(count(registry)).toBe(1);
    undo();
    expect(count(registry)).toBe(0);
    register(registry);
    undo();
    expect(count(registry), "a second undo spares the newer one").toBe(1);
  });

  it("[K-42] taking handlers back takes exactly those", () => {
    const registry = new Registry();
    registry.namespace(NOTES);
    const undo = registry.hooks(NOTES, {});
    registry.hooks(NOTES, {});
    undo();
    undo();
    expect(registry.snapshot().hooks).toHaveLength(1);
  });
});
