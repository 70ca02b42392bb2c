import { testPlugin } from "althing/testing";
import { describe, expect, it } from "vitest";
import { cupPlugin } from "../../examples/plugins/cup.ts";
import { dicePlugin, ROLLS } from "../../examples/plugins/dice.ts";
import { parrotPlugin } from "../../examples/plugins/parrot.ts";
import { piratePlugin } from "../../examples/plugins/pirate.ts";
import { scoresPlugin } from "../../examples/plugins/scores.ts";
import { Host, installPlugins, PluginError, toolsOf } from "../../src/host/index.ts";
import { webchatPlugin } from "../../src/surfaces/webchat/plugin.ts";
import { send } from "../kernel/make.ts";
import { started } from "../kernel/started.ts";
import { hostContext } from "../kit/host-context.ts";
import { callsThenText } from "../kit/scenarios.ts";

const host = () => new Host([cupPlugin, dicePlugin], hostContext());

describe("the example plugins", () => {
  it("[X-8] the dice need the cup, before them", () => {
    const build = (plugins: ConstructorParameters<typeof Host>[0]) => () => new Host(plugins, hostContext());
    expect(build([dicePlugin])).toThrow(PluginError);
    expect(build([dicePlugin])).toThrow("Add the plugin cup to the list of plugins, before dice.");
    expect(build([dicePlugin, cupPlugin])).toThrow("list cup before dice");
    expect(build([cupPlugin, dicePlugin])).not.toThrow();
  });

  it("[X-11] [K-29] a roll is told, kept, shown to clients, and the same after a death in its middle", async () => {
    const made = host();
    const world = started({
      tools: toolsOf(made),
      register: (registry) => installPlugins(registry, made),
      script: callsThenText([{ name: "roll_dice", args: '{"sides":6,"count":2}' }]),
      killAt: [6],
    });
    send(world, "go");
    await world.run();
    const { last } = world.kernel.get(ROLLS);
    expect(last).toHaveLength(2);
    expect(last.every((one) => one >= 1 && one <= 6)).toBe(true);
    expect(world.kernel.snapshot().view.plugins["dice"]).toEqual({ last });
    const told = JSON.stringify(world.kernel.entriesAfter(0, 100).find(({ kind }) => kind === "core.tool_result"));
    expect(told).toContain(`The dice show ${last.join(", ")}. (fairly)`);
    expect(world.model.requests[0]?.system).toBe("When somebody wants chance, roll dice.");
  });

  it("[X-13] many dice wait for a person", async () => {
    const [rule] = host().holdRules;
    const ask = (count: number) =>
      rule?.describe({ tool: "roll_dice", input: { sides: 6, count } }, { actor: "p_anna" });
    expect(await ask(11)).toEqual({ text: "Roll 11 dice" });
    expect(await ask(10)).toBeUndefined();
  });

  it("[X-19] the parrot's model says what it was told, by the port of a kernel", async () => {
    const models = testPlugin(parrotPlugin).host.providers.get("models");
    const request = { model: "parrot/grey", thinking: "off", system: "", volatile: "", tools: [] } as const;
    const messages = [{ role: "user", content: [{ type: "text", text: "Pieces of eight" }] }] as const;
    const frames: unknown[] = [];
    for await (const frame of models?.port.stream({ ...request, messages }, new AbortController().signal) ?? []) {
      frames.push(frame);
    }
    expect(frames).toMatchObject([{ type: "text", text: "Pieces of eight" }, { type: "end" }]);
    for await (const frame of models?.port.stream({ ...request, messages }, AbortSignal.abort()) ?? []) {
      expect(frame).toMatchObject({ type: "error", error: { kind: "aborted" } });
    }
  });

  it("[X-37] the pirate is a persona", () => {
    expect(testPlugin(piratePlugin).host.personas).toMatchObject([{ kind: "pirate", sections: [{ name: "ship" }] }]);
  });

  it("[X-20] [X-24] [X-30] [X-45] the scores claim, watch, answer, and order a turn at every tenth", async () => {
    const lines: string[] = [];
    const made = new Host([webchatPlugin, scoresPlugin], hostContext({ log: (event) => lines.push(event) }));
    expect(made.claims.map(({ name }) => name)).toEqual(["scores-closed", "webchat"]);
    expect(made.migrations.map(({ plugin, id }) => `${plugin}/${id}`)).toEqual(["scores/0001_scores"]);
    const world = started({ register: (registry) => installPlugins(registry, made) });
    for (let i = 1; i <= 10; i++) {
      send(world, `Turn ${i}`);
      await world.run();
    }
    expect(
      world.delivered.map(({ target, payload }) => [target, (JSON.parse(payload) as { key: string }).key]),
    ).toEqual([["background", "scores:10"]]);
    const [route] = made.routesOf("scores");
    const url = new URL("https://althing.example/plugins/scores/best/go");
    const asked = { principalId: "p_a", tier: "member", params: { game: "go" }, body: "", url } as const;
    const answer = await route?.handle({ ...asked, signal: new AbortController().signal });
    expect(await answer?.json()).toEqual({ game: "go", asks: "p_a" });
  });
});
