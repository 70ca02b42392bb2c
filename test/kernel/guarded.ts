import type { Hooks } from "../../src/kernel/registry/hooks.ts";
import type { Json } from "../../src/lib/json.ts";
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
