import { type Control, tasksOf } from "./control.ts";
import { IMPORT } from "./kinds.ts";
import type { Task } from "./task.ts";

/** The copy that is under way. As long as there is one, nothing else enters the transcript and no turn begins. */
export function importOf(control: Control): Task | undefined {
  return tasksOf(control).find((task) => task.kind === IMPORT);
}
