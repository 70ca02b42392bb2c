import { servicePair, stopOf, testHost } from "althing/testing";
import { describe, expect, it } from "vitest";
import { definePlugin, serviceKey } from "../../src/host/index.ts";
import { defineNamespace, defineTask } from "../../src/kernel/index.ts";
import { tool } from "../kernel/make.ts";
import { pluginWith } from "./plugin-with.ts";

const offered = { tool: tool("roll", () => Promise.resolve({ text: "" })), tier: "member" };
const WORK = defineTask<null, { readonly phase: "work" }>({
  kind: "work.kind",
  initial: () => ({ phase: "work" }),
  phases: { work: () => Promise.resolve({ kind: "complete", result: null }) },
  config: { speed: 1 },
});
const TEN = defineNamespace({ name: "ten", sticky: { n: 10 } });
const CUP = serviceKey<number>("cup", { absent: "Add the plugin cups." });
const web = { kind: "view", surface: "irc" };
const claim = { name: "mine", surface: "web", owns: () => true, admit: () => ({ kind: "turn" }) };

const CLASHES: [what: string, one: object, other?: object][] = [
  ["tool named roll", { tools: [offered] }],
  ["section named rules", { sections: [{ name: "rules", kind: "stable", render: () => "" }] }],
  ["namespace named ten", { namespaces: [TEN] }],
  ["task kind named work.kind", { taskKinds: [WORK] }, { taskKinds: [{ ...WORK, config: {} }] }],
  ["configuration key named speed", { taskKinds: [WORK] }, { taskKinds: [{ ...WORK, kind: "other.kind" }] }],
  ["surface named irc", { surfaces: [web] }],
  ["claim named mine", { claims: [claim] }],
  ["background target named there", { backgroundTargets: [{ name: "there", label: "There", surface: "web" }] }],
  ["persona named pirate", { personas: [{ kind: "pirate", label: "Pirate", prompt: "" }] }],
  ["provider slot named judge", { providers: { judge: { judge: () => undefined } } }],
];

describe("two plugins among the built-in ones", () => {
  it.each(CLASHES)(
    "[X-50] with one %s stop the start, naming both and the remedy",
    (what: string, one: object, other: object = one) => {
      const [dice, cards] = [pluginWith("dice", one), pluginWith("cards", other)];
      const { code, message } = stopOf(() => testHost({ plugins: [dice, cards] }));
      expect(code).toBe("clash");
      expect(message).toBe(
        `Plugins dice and cards both have a ${what}: rename one of the two, or switch one plugin off under features in ` +
          "althing.config.ts.",
      );
      expect(() => testHost({ plugins: [dice] })).not.toThrow();
      expect(() => testHost({ plugins: [dice, cards], config: { features: { dice: false } } })).not.toThrow();
    },
  );

  it("[X-50] of one name, or with one service, too; a given service counts as any other", () => {
    const named = () => testHost({ plugins: [pluginWith("dice", {}), pluginWith("dice", {})] });
    expect(stopOf(named).message).toContain("plugin dice");
    const cups = definePlugin({
      name: "cups",
      provides: [CUP],
      setup: ({ services }) => (services.provide(CUP, 1), {}),
    });
    const mugs = definePlugin({ ...cups, name: "mugs" });
    expect(stopOf(() => testHost({ plugins: [cups, mugs] })).message).toContain("Plugins cups and mugs both provide");
    expect(stopOf(() => testHost({ plugins: [cups], services: [servicePair(CUP, 2)] })).code).toBe("service_twice");
  });

  it.each(["web", "webchat", "assistant", "calculate"])("[X-49] what the built-in ones have (%s) is theirs", (name) => {
    const parts = {
      surfaces: [{ kind: "view", surface: name }],
      claims: [{ ...claim, name }],
      personas: [{ kind: name, label: name, prompt: "" }],
      tools: [{ tool: tool(name, () => Promise.resolve({ text: "" })), tier: "member" }],
    };
    expect(stopOf(() => testHost({ plugins: [pluginWith("dice", parts)] })).message).toMatch(
      /Plugins \w+ and dice both/,
    );
  });
});

describe("a host of the built-in plugins", () => {
  it("[X-49] stands as it is, and is asked like any other", async () => {
    const host = testHost();
    expect(host.claims.map(({ name }) => name)).toEqual(["webchat"]);
    expect(host.personas.map(({ kind }) => kind)).toEqual(["assistant", "task"]);
    expect(host.backgroundTargets.map(({ name }) => name)).toEqual(["web"]);
    expect(host.ownerOf("calculate")).toBe("calculator");
    await expect(host.preflight()).resolves.toBeUndefined();
    expect(testHost({ config: { features: { calculator: false } } }).ownerOf("calculate")).toBeUndefined();
  });
});
