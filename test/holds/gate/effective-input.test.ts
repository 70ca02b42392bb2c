import { describe, expect, it } from "vitest";
import { defineNamespace } from "../../../src/kernel/index.ts";
import type { Json } from "../../../src/lib/json.ts";
import { HoldWorld } from "../../kit/hold-world.ts";

/** A world whose handler before the gate gives each call other arguments. */
const shaped = (shape: (input: Json) => Json) => {
  const holds = new HoldWorld();
  holds.handler = ({ input }) => Promise.resolve({ kind: "pass", input: shape(input) });
  return holds;
};
const DRY = (input: Json) => ({ ...(input as { ref: string }), dry: true });
const entries = ({ kernel }: HoldWorld) => kernel.entriesAfter(0, 1_000).filter(({ kind }) => kind === "holds.shown");

describe("a handler before the gate that changes arguments", () => {
  it("[H-77] what it made of them is shown, bound, and run", async () => {
    const holds = shaped(DRY);
    await holds.toCard();
    expect(holds.card.args).toEqual([
      { name: "dry", value: "true" },
      { name: "ref", value: '"main"' },
    ]);
    expect(await holds.press("approve")).toEqual({ ok: true, value: {} });
    await holds.world.run();
    expect(holds.inputs).toEqual([{ ref: "main", dry: true }]);
    expect(entries(holds)).toHaveLength(1);
    expect(entries(holds)[0]?.message).toBeUndefined();
  });

  it("[H-77] also after a restart, and where the schema would read them otherwise the second time", async () => {
    const holds = shaped(DRY);
    holds.readInput = (input) => {
      const { read = 0, ...rest } = input as { read?: number };
      return { ...rest, read: Math.min(2, read + 1) };
    };
    const card = await holds.toCard();
    await holds.restart();
    await holds.settle();
    expect(holds.card).toEqual(card);
    expect(await holds.press("approve")).toEqual({ ok: true, value: {} });
    await holds.world.run();
    expect(holds.inputs).toEqual([{ ref: "main", dry: true, read: 2 }]);
  });

  it("[H-77] that makes something else of them later ends the card as changed", async () => {
    let ref = "main";
    const holds = shaped(() => ({ ref }));
    await holds.toCard();
    ref = "elsewhere";
    await holds.press("approve");
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "blocked", code: "changed" }]);
    expect(holds.results[0]?.text).toContain("(input)");
    expect(holds.inputs).toEqual([]);
  });

  it("[H-77] an edit stands in place of what it made, and shows that as before", async () => {
    const holds = shaped(DRY);
    await holds.toCard();
    holds.beforeEffect = () => new Promise(() => undefined);
    expect(await holds.press("approve", { input: { ref: "release" } })).toEqual({ ok: true, value: {} });
    await holds.settle();
    expect(holds.card.edit?.before).toEqual([
      { name: "dry", value: "true" },
      { name: "ref", value: '"main"' },
    ]);
  });

  it("[H-77] that leaves them as they are costs nothing", async () => {
    const holds = shaped((input) => ({ ...(input as { ref: string }) }));
    await holds.toCard();
    expect(entries(holds)).toEqual([]);
  });
});

it("[H-78] a handler before tools that is registered after the gate stops the start", () => {
  const holds = new HoldWorld();
  holds.world.start();
  const late = defineNamespace({ name: "late", sticky: {} });
  const { registry } = holds.world;
  registry.namespace(late);
  registry.hooks(late, { settled: () => undefined });
  const register = () => registry.hooks(late, { beforeTool: () => Promise.resolve({ kind: "pass", input: {} }) });
  expect(register).toThrow("late has a handler before tools, but holds is the last of them: register it earlier.");
});
