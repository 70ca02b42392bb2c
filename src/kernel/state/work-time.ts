import { type Control, type Turn, turnTasks } from "./control.ts";

/** True while the running turn waits for people only: every live task of it is parked, or waits for those that are. */
export function waitsOnPeopleOnly(control: Control): boolean {
  const tasks = turnTasks(control);
  const parked = tasks.filter((task) => task.status === "parked");
  return parked.length > 0 && tasks.every((task) => task.status === "parked" || task.status === "waiting");
}

/** The turn with its work clock stopped or started, whichever the state asks for. */
export function accountWork(control: Control, now: number): Turn | null {
  const { turn } = control;
  if (!turn) return null;
  const works = !waitsOnPeopleOnly(control);
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
