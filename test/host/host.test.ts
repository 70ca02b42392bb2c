import { describe, expect, it } from "vitest";
import * as z from "zod";
import { definePlugin, Host, installPlugins, type Plugin, serviceKey, toolsOf } from "../../src/host/index.ts";
import { defineNamespace, defineTask, defineTool, Registry, type Section, type Tool } from "../../src/kernel/index.ts";
import { hostContext } from "../kit/host-context.ts";
import { stopOf } from "../kit/stop-of.ts";

const tool = (name: string): Tool =>
  defineTool({ name, description: "Does it.", input: z.object({}), execute: () => Promise.resolve({ text: "" }) });

const offered = (name: string) => ({ tool: tool(name), tier: "member" }) as const;

/** A plugin with these parts. */
const plugin = (name: string, parts: unknown = {}, more: Partial<Plugin> = {}): Plugin =>
  definePlugin({ name, setup: () => parts as never, ...more });

const hostOf = (plugins: readonly Plugin[], features = {}) => new Host(plugins, hostContext(), features);

const NOTES = defineNamespace({ name: "notes", sticky: { n: 0 } });
const WORK = defineTask<null, { readonly phase: "work" }>({
  kind: "work.kind",
  initial: () => ({ phase: "work" }),
  phases: { work: () => Promise.resolve({ kind: "complete", result: null }) },
  config: { speed: 1 },
});
const OTHER_WORK = { ...WORK, kind: "other.kind" };
const section: Section = { name: "rules", kind: "stable", render: () => "" };

describe("a plugin's shape", () => {
  it.each(["", "Dice", "1dice", "dice_roll", "a".repeat(33), 5 as unknown as string])(
    "[X-1] the name %j is refused",
    (name) => {
      const { code, message } = stopOf(() => plugin(name));
      expect(code).toBe("bad_plugin");
      expect(message).toContain("must match");
    },
  );

  it("[X-1] names of one and of 32 characters are taken", () => {
    for (const name of ["a", "a".repeat(32)]) expect(hostOf([plugin(name)]).plugins[0]?.name).toBe(name);
  });

  it("[X-1] a field that does not exist is refused with the nearest one, and so is a plugin without a setup", () => {
    const typo = { name: "dice", setup: () => ({}), require: [] };
    expect(stopOf(() => definePlugin(typo))).toEqual({
      code: "unknown_part",
      message: 'Plugin dice has a part "require" that does not exist: did you mean requires?',
    });
    expect(stopOf(() => definePlugin({ name: "dice" } as never)).message).toContain("Plugin dice has no setup");
  });

  it.each<[string, unknown, string, string]>([
    ["a promise", Promise.resolve({}), "setup_failed", "synchronous"],
    ["nothing", null, "setup_failed", "no object of parts"],
    ["a part with a typo", { tool: [] }, "unknown_part", "did you mean tools?"],
    ["a part that is no list", { tools: {} }, "setup_failed", "its part tools must be a list"],
  ])("[X-2] a setup that returns %s stops the start", (_what, parts, code, sentence) => {
    const stop = stopOf(() => hostOf([plugin("dice", parts)]));
    expect(stop.code).toBe(code);
    expect(stop.message).toContain("dice");
    expect(stop.message).toContain(sentence);
  });

  it("[X-2] a setup that throws stops the start with its reason", () => {
    const broken = definePlugin({
      name: "dice",
      setup: () => {
        throw new Error("no dice here");
      },
    });
    expect(stopOf(() => hostOf([broken]))).toEqual({
      code: "setup_failed",
      message: "Plugin dice: its setup failed: no dice here",
    });
  });

  it("[X-3] the database is not asked during setup, and is in preflight", async () => {
    const asking = definePlugin({ name: "dice", setup: ({ database }) => void database() as never });
    expect(stopOf(() => hostOf([asking])).code).toBe("query_in_setup");
    let asked = 0;
    const looking = plugin("dice", {}, { preflight: ({ database }) => void (database(), asked++) });
    await hostOf([looking]).preflight();
    expect(asked).toBe(1);
  });

  it("[X-3] a preflight that throws stops the start, and those behind it are not asked", async () => {
    let asked = 0;
    const first = plugin("dice", {}, { preflight: () => Promise.reject(new Error("set DICE_KEY")) });
    const second = plugin("cards", {}, { preflight: () => void asked++ });
    await expect(hostOf([first, second]).preflight()).rejects.toThrow("Plugin dice cannot work here: set DICE_KEY");
    expect(asked).toBe(0);
  });

  it.each<[string, object, string]>([
    ["a bad name", { name: "Roll" }, "the tool name"],
    ["no description", { description: " " }, "needs a description"],
    ["nothing to execute", { execute: undefined }, "nothing to execute"],
  ])("[X-4] a tool with %s is refused", (_what, changes, sentence) => {
    const parts = { tools: [{ tool: { ...tool("roll"), ...changes }, tier: "member" }] };
    expect(stopOf(() => hostOf([plugin("dice", parts)])).message).toContain(sentence);
  });

  it.each([undefined, "boss"])("[X-4] a tool for the tier %s is refused", (tier) => {
    const stop = stopOf(() => hostOf([plugin("dice", { tools: [{ tool: tool("roll"), tier }] })]));
    expect(stop.message).toBe("Plugin dice: the tool roll needs a tier: one of guest, member, admin, owner.");
  });
});

describe("clashes", () => {
  it.each<[string, object, object]>([
    ["tool", { tools: [offered("roll")] }, { tools: [offered("roll")] }],
    ["section", { sections: [section] }, { sections: [section] }],
    ["namespace", { namespaces: [NOTES] }, { namespaces: [NOTES] }],
    ["task kind", { taskKinds: [WORK] }, { taskKinds: [{ ...WORK, config: {} }] }],
    ["configuration key", { taskKinds: [WORK] }, { taskKinds: [OTHER_WORK] }],
  ])("[X-5] two plugins with one %s stop the start, naming both and the remedy", (what, one, other) => {
    const stop = stopOf(() => hostOf([plugin("dice", one), plugin("cards", other)]));
    expect(stop.code).toBe("clash");
    expect(stop.message).toContain(`Plugins dice and cards both have a ${what} named`);
    expect(stop.message).toContain("rename one of the two, or switch one plugin off");
    expect(() => hostOf([plugin("dice", one)])).not.toThrow();
  });

  it("[X-5] two plugins of one name, and one name twice in a plugin", () => {
    expect(stopOf(() => hostOf([plugin("dice"), plugin("dice")])).message).toContain("plugin dice");
    const twice = plugin("dice", { tools: [offered("roll"), offered("roll")] });
    expect(stopOf(() => hostOf([twice])).message).toBe(
      "Plugin dice has two parts for the tool roll: rename or leave out one of them.",
    );
  });

  it.each(["bash", "read", "edit", "write"])("[X-5] the tool name %s is reserved", (name) => {
    expect(stopOf(() => hostOf([plugin("dice", { tools: [offered(name)] })])).code).toBe("reserved");
  });

  it("[X-6] handlers under a namespace that is not the plugin's own stop the start", () => {
    const parts = { hooks: [{ namespace: NOTES, hooks: {} }] };
    expect(stopOf(() => hostOf([plugin("dice", parts)])).message).toContain("under the namespace notes");
    expect(() => hostOf([plugin("dice", { ...parts, namespaces: [NOTES] })])).not.toThrow();
  });
});

describe("services", () => {
  const CUP = serviceKey<{ readonly size: number }>("cup", { absent: "Add the plugin cups." });
  const giving = (name = "cups") =>
    definePlugin({
      name,
      provides: [CUP],
      setup({ services }) {
        services.provide(CUP, { size: 3 });
        return {};
      },
    });
  const using = (seen: unknown[]) =>
    definePlugin({
      name: "dice",
      setup({ services }) {
        seen.push(services.get(CUP).size, services.find(CUP)?.size);
        return {};
      },
    });

  it("[X-7] [X-8] what was provided before is there, for `get` and for `find`", () => {
    const seen: unknown[] = [];
    hostOf([giving(), using(seen)]);
    expect(seen).toEqual([3, 3]);
  });

  it("[X-8] using what comes later names the order that works; what nobody provides, the key's own sentence", () => {
    expect(stopOf(() => hostOf([using([]), giving()]))).toEqual({
      code: "service_order",
      message: "Plugin dice uses the service cup before cups provided it: list cups before dice.",
    });
    expect(stopOf(() => hostOf([using([])]))).toEqual({
      code: "service_absent",
      message: "Plugin dice needs the service cup, which no plugin provides. Add the plugin cups.",
    });
  });

  it("[X-8] requiring it does the same before any setup, and `find` gives undefined", () => {
    let setUp = 0;
    const found: unknown[] = [];
    const requiring = definePlugin({ name: "dice", requires: [CUP], setup: () => (setUp++, {}) });
    expect(stopOf(() => hostOf([requiring, giving()])).code).toBe("service_order");
    expect(stopOf(() => hostOf([requiring])).code).toBe("service_absent");
    expect(setUp).toBe(0);
    hostOf([definePlugin({ name: "dice", setup: ({ services }) => (found.push(services.find(CUP)), {}) })]);
    expect(found).toEqual([undefined]);
    const own = definePlugin({ ...giving(), requires: [CUP] });
    expect(stopOf(() => hostOf([own])).message).toContain("cannot require its own");
  });

  it("[X-7] undeclared, twice, never or later stops the start", () => {
    const provide = (times: number, provides = [CUP]) =>
      definePlugin({
        name: "cups",
        provides,
        setup({ services }) {
          for (let i = 0; i < times; i++) services.provide(CUP, { size: i });
          return {};
        },
      });
    expect(stopOf(() => hostOf([provide(1, [])])).code).toBe("service_undeclared");
    expect(stopOf(() => hostOf([provide(2)])).code).toBe("service_twice");
    expect(stopOf(() => hostOf([provide(0)])).code).toBe("service_missing");
    const later: (() => void)[] = [];
    hostOf([
      definePlugin({
        name: "cups",
        provides: [CUP],
        setup({ services }) {
          services.provide(CUP, { size: 1 });
          later.push(() => services.provide(CUP, { size: 2 }));
          return {};
        },
      }),
    ]);
    expect(stopOf(() => later[0]?.()).message).toContain("after its setup");
  });

  it("[X-9] two providers stop the start, also of two keys with one id", () => {
    expect(stopOf(() => hostOf([giving(), giving("mugs")])).message).toBe(
      "Plugins cups and mugs both provide the service cup: leave one of the two out.",
    );
    const twin = serviceKey<{ readonly size: number }>("cup", { absent: "Add it." });
    const other = definePlugin({ name: "mugs", provides: [twin], setup: () => ({}) });
    expect(stopOf(() => hostOf([giving(), other])).code).toBe("service_twice");
  });
});

describe("switching off", () => {
  it("[X-10] a feature that is off is not set up: nothing of it is there", () => {
    let setUp = 0;
    const dice = definePlugin({ name: "dice", setup: () => (setUp++, { tools: [offered("roll")] }) });
    const host = hostOf([dice, plugin("cards", { tools: [offered("deal")] })], { dice: false, cards: true });
    expect(setUp).toBe(0);
    expect(host.plugins.map(({ name }) => name)).toEqual(["cards"]);
    expect(host.ownerOf("roll")).toBeUndefined();
    expect(host.ownerOf("deal")).toBe("cards");
  });

  it("[X-10] a name that no plugin has is refused with the nearest one", () => {
    expect(stopOf(() => hostOf([plugin("dice")], { dise: false }))).toEqual({
      code: "unknown_feature",
      message: 'There is no feature "dise" to switch: did you mean dice?',
    });
  });
});

describe("on a conversation", () => {
  const rule = (text: string) => () => ({ text });

  it("[X-11] [trap 113] every part is registered on each conversation, in plugin order, the same objects", () => {
    const host = hostOf([
      plugin("dice", { tools: [offered("roll")], namespaces: [NOTES], hooks: [{ namespace: NOTES, hooks: {} }] }),
      plugin("cards", { tools: [offered("deal")], sections: [section], taskKinds: [WORK] }),
    ]);
    const registries = [new Registry(), new Registry()];
    for (const registry of registries) installPlugins(registry, host);
    const [one, other] = registries.map((registry) => registry.snapshot());
    expect(toolsOf(host).map(({ name }) => name)).toEqual(["roll", "deal"]);
    expect(one?.sections).toEqual([section]);
    expect(one?.hooks.map(({ namespace }) => namespace)).toEqual([NOTES]);
    expect(registries[0]?.task("work.kind")).toBe(WORK);
    expect(other?.hooks[0]?.hooks).toBe(one?.hooks[0]?.hooks);
  });

  it("[X-12] a tool has the tier that its plugin names; what no plugin has is the owner's", () => {
    const parts = { tools: [offered("roll"), { tool: tool("reset"), tier: "admin" }] };
    const host = hostOf([plugin("dice", parts)]);
    expect(["roll", "reset", "unknown"].map((name) => host.tierOf(name))).toEqual(["member", "admin", "owner"]);
  });

  it("[X-13] hold rules come in plugin order, named after their plugins", () => {
    const host = hostOf([
      plugin("dice", { holdRules: [rule("a"), rule("b")] }),
      plugin("cards", { holdRules: [rule("c")] }),
    ]);
    expect(host.holdRules.map(({ id }) => id)).toEqual(["dice.0", "dice.1", "cards.0"]);
  });
});
