import { type Control, taskOf } from "./control.ts";

/**
 * The first of these tasks that a task must not wait for: itself, one that owns it (whose end would stop it), or one that
 * waits for it in turn, over however many others. Undefined when it may wait for all of them.
 */
export function endlessWait(control: Control, waiter: number, on: readonly number[]): number | undefined {
  const owners = ownersOf(control, waiter);
  return on.find((task) => owners.has(task) || waitsFor(control, task, waiter));
}

function ownersOf(control: Control, task: number): ReadonlySet<number> {
  const owners = new Set<number>();
  for (let owner = taskOf(control, task)?.owner; owner !== undefined; owner = taskOf(control, owner)?.owner) {
    owners.add(owner);
  }
  return owners;
}

/** Whether the end of a task needs that of another. */
function waitsFor(control: Control, task: number, other: number, seen = new Set<number>()): boolean {
  if (task === other) return true;
  if (seen.has(task)) return false;
  seen.add(task);
  const found = taskOf(control, task);
  return found?.status === "waiting" && found.tasks.some((on) => waitsFor(control, on, other, seen));
}
