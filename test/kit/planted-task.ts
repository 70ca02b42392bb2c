import type { Control } from "../../src/kernel/state/control.ts";
import type { Task } from "../../src/kernel/state/task.ts";
import type { KernelWorld } from "./kernel-world.ts";

type Draft = Pick<Task, "kind"> & Partial<Omit<Task, "id" | "kind">>;

/** Puts a task into the stored state of a world whose process does not run, as an earlier deploy may have left it. */
export function plantTask(world: KernelWorld, draft: Draft): number {
  const control = world.control;
  const id = control.nextId;
  const standing = {
    input: null,
    checkpoint: { phase: "start" },
    aborting: false,
    background: true,
    status: "pending",
  };
  const tasks = { ...control.tasks, [String(id)]: { id, ...standing, ...draft } };
  putControl(world, { ...control, nextId: id + 1, tasks: tasks as Control["tasks"] });
  return id;
}

/** Replaces the stored control row of a world whose process does not run. */
export function putControl(world: KernelWorld, control: Control): void {
  world.client.forget();
  world.storage.sql.exec("UPDATE control SET body = ?", JSON.stringify(control));
}
