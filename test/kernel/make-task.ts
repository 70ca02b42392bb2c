import { defineTask } from "../../src/kernel/index.ts";
import type { Run, TaskKind } from "../../src/kernel/registry/task-kind.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { plantTask } from "../kit/planted-task.ts";
import { started } from "./started.ts";

export const TEST_KIND = "test.kind";

/** A task kind of a test: one phase `start`, unless told otherwise. */
export function testKind(changes: Partial<TaskKind> = {}): TaskKind {
  return {
    kind: TEST_KIND,
    phases: { start: finishTask },
    inFlight: [],
    abort: (run) => Promise.resolve(run.commit((tx) => tx.finish(run.id, "aborted"))),
    fault: (tx, task) => tx.finish(task.id, "faulted"),
    ...changes,
  };
}

/** The same kind as a plugin declares it. */
export const TEST_TASK = defineTask<null, { readonly phase: "start" }>({
  kind: TEST_KIND,
  initial: () => ({ phase: "start" }),
  phases: { start: () => Promise.resolve({ kind: "complete", result: null }) },
});

export async function finishTask(run: Run): Promise<void> {
  await Promise.resolve();
  run.commit((tx) => tx.finish(run.id, "completed"));
}

/** Runs `work` inside the handler of a task, which then ends. Returns the world at rest. @throws what `work` threw. */
export async function inTask(work: (run: Run, world: KernelWorld) => void): Promise<KernelWorld> {
  const failures: unknown[] = [];
  const start = async (run: Run) => {
    await Promise.resolve();
    try {
      work(run, world);
    } catch (failure) {
      failures.push(failure);
    }
    await finishTask(run);
  };
  const world = started({ kinds: [testKind({ phases: { start } })] });
  await restartWithTask(world);
  if (failures.length > 0) throw failures[0];
  return world;
}

/** Lets the process die, plants a task, starts and runs to rest. Returns the task's id. */
export async function restartWithTask(
  world: KernelWorld,
  draft: Partial<Parameters<typeof plantTask>[1]> = {},
): Promise<number> {
  world.crash();
  const id = plantTask(world, { kind: TEST_KIND, ...draft });
  world.start().resume();
  await world.run();
  return id;
}
