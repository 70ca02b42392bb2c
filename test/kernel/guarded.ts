import type { BeforeTool, PendingCall } from "../../src/kernel/index.ts";
import type { Hooks } from "../../src/kernel/registry/hooks.ts";
import type { Json } from "../../src/lib/json.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import type { Script } from "../kit/scripted-model.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { NOTES, tool } from "./make.ts";
import { started } from "./started.ts";

/** Calls these tools at once, then answers. */
export const callsThen =
  (...names: string[]): Script =>
  (_request, nth) =>
    nth === 0 ? { calls: names.map((name) => ({ name, args: '{"n":1}' })) } : { text: `answer ${nth}` };

/** `work` counts its runs; `hooks` come before it. */
export function guarded(hooks: readonly Hooks[], options: WorldOptions = {}) {
  const runs: Json[] = [];
  const world = started({
    tools: [
      tool("work", (input) => {
        runs.push(input);
        return Promise.resolve({ text: "worked" });
      }),
    ],
    script: callsThen("work"),
    ...options,
    register: (registry, kernel) => {
      for (const one of hooks) registry.hooks(NOTES, one);
      options.register?.(registry, kernel);
    },
  });
  return { world, runs };
}

/** Runs until a condition holds, without letting time pass. */
export const until = (world: KernelWorld, condition: () => boolean) => world.run(condition, world.clock.now());
/** The live tasks. */
export const tasksOf = (world: KernelWorld) => Object.values(world.control.tasks);
/** The first parked task. */
export const parkedIn = (world: KernelWorld) => tasksOf(world).find((task) => task.status === "parked");

/** A `beforeTool` handler. */
export const before = (decide: (call: PendingCall) => BeforeTool | Promise<BeforeTool>): Hooks => ({
  beforeTool: async (call) => await decide(call),
});

export const pass: BeforeTool = { kind: "pass" };
export const park = (changes: Partial<Extract<BeforeTool, { kind: "park" }>> = {}): BeforeTool => ({
  kind: "park",
  deadline: null,
  pendingText: "It waits for a person.",
  ...changes,
});
