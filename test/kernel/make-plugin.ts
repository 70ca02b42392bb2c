import { defineEntry, defineTask, type TaskRun } from "../../src/kernel/index.ts";
import type { StepOrBuilder, TaskDefinition } from "../../src/kernel/registry/task-definition.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { started } from "./started.ts";

/** An entry kind of a test's plugin. */
export const CARD = defineEntry({ kind: "test.card" });

/** The checkpoint of a test's task: a phase and a number. `effect` is in flight. */
export type Flow = { readonly phase: "first" | "second" | "third" | "effect"; readonly n: number };

type Handler = (run: TaskRun<null, Flow>) => StepOrBuilder<Flow> | Promise<StepOrBuilder<Flow>>;

/** A task kind that begins in `first`. Phases without a handler here must not be reached. */
export function flow(
  phases: { readonly [P in Flow["phase"]]?: Handler },
  kind = "test.flow",
  initial: () => Flow = () => ({ phase: "first", n: 0 }),
): TaskDefinition<null, Flow> {
  const handler = (phase: Flow["phase"]) => async (run: TaskRun<null, Flow>) => {
    const own = phases[phase];
    if (!own) throw new Error(`the phase ${phase} was reached`);
    return await own(run);
  };
  const [first, second, third, effect] = [handler("first"), handler("second"), handler("third"), handler("effect")];
  return defineTask<null, Flow>({ kind, initial, phases: { first, second, third, effect }, inFlight: ["effect"] });
}

/** A started world with these task kinds, also after each restart. */
export function withKinds(kinds: readonly TaskDefinition<null, Flow>[], options: WorldOptions = {}): KernelWorld {
  return started({
    ...options,
    register: (registry, kernel) => {
      for (const kind of kinds) registry.registerTaskKind(kind);
      options.register?.(registry, kernel);
    },
  });
}

/** Begins a task of the host, in a commit of its own. */
export function begin(world: KernelWorld, kind: TaskDefinition<null, Flow>): number {
  return world.kernel.commit((tx) => tx.createTask(kind, null));
}
