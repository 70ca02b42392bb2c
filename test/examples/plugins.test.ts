import { describe, expect, it } from "vitest";
import { cupPlugin } from "../../examples/plugins/cup.ts";
import { dicePlugin, ROLLS } from "../../examples/plugins/dice.ts";
import { Host, installPlugins, PluginError, toolsOf } from "../../src/host/index.ts";
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
});
