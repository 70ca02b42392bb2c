import { type Control, type Turn, taskOf, turnTasks } from "./control.ts";
import { COMPACTION } from "./kinds.ts";

/** True while the running turn waits for people only: every live task of it is parked, or waits for those that are. */
export function waitsOnPeopleOnly(control: Control): boolean {
  const tasks = turnTasks(control);
  const parked = tasks.filter((task) => task.status === "parked");
  return parked.length > 0 && tasks.every((task) => task.status === "parked" || task.status === "waiting");
}

/** True while something of the running turn is at work: it does not only wait, for people or for tasks of their own. */
function isAtWork(control: Control): boolean {
  const tasks = turnTasks(control);
  const waits = tasks.every((task) => task.status === "parked" || task.status === "waiting");
  return !waits || waitsOnCompaction(control);
}

/** True while the running turn waits for a summary of older messages. */
export function waitsOnCompaction(control: Control): boolean {
  const task = control.turn && taskOf(control, control.turn.task);
  return task?.status === "waiting" && task.tasks.some((on) => taskOf(control, on)?.kind === COMPACTION);
}

/** The turn with its work clock stopped or started, whichever the state asks for. */
export function accountWork(control: Control, now: number): Turn | null {
  const { turn } = control;
  if (!turn) return null;
  const works = isAtWork(control);
  if (works && turn.workingSince === null) return { ...turn, workingSince: now };
  if (!works && turn.workingSince !== null) {
    return { ...turn, workedMs: turn.workedMs + (now - turn.workingSince), workingSince: null };
  }
  return turn;
}

/** Milliseconds that the turn has worked. */
export function workedMs(turn: Turn, now: number): number {
  return turn.workedMs + (turn.workingSince === null ? 0 : now - turn.workingSince);
}
