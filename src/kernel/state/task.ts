import type { Json } from "../../lib/json.ts";

/** A task's program counter, replaced whole. */
export interface Checkpoint {
  readonly phase: string;
  readonly [key: string]: Json;
}

/** Where a live task stands. A finished one is a receipt in `done`. */
export type TaskStatus =
  /** No invocation; the loop will reserve it. */
  | { readonly status: "pending" }
  /** An invocation owns it, durably. */
  | { readonly status: "running" }
  /** Until every named task is finished. */
  | { readonly status: "waiting"; readonly tasks: readonly number[] }
  /** Until it is woken, or the deadline passes. `waitingOn` names the namespace that parked it. */
  | { readonly status: "parked"; readonly waitingOn: string; readonly deadline: number | null }
  | { readonly status: "sleeping"; readonly until: number };

/** Durable unit of work. */
export type Task = {
  readonly id: number;
  readonly kind: string;
  readonly input: Json;
  readonly checkpoint: Checkpoint;
  /** Stop mark: the abort handler runs instead of any phase. */
  readonly aborting: boolean;
  /** Belongs to no turn: not stopped with it, not counted as busy. */
  readonly background: boolean;
  /** The task that is responsible for it: stopped with it, unless it is a background task. */
  readonly owner?: number;
} & TaskStatus;

/** The task with another status, everything else kept. */
export function withStatus(task: Task, status: TaskStatus): Task {
  const { id, kind, input, checkpoint, aborting, background, owner } = task;
  return { id, kind, input, checkpoint, aborting, background, ...(owner !== undefined && { owner }), ...status };
}

/** True when the loop has something to do for it without waiting for anybody. */
export function isRunnable(task: Task): boolean {
  return task.status === "running" || task.status === "pending";
}

/** When a task must be looked at again by the clock alone; undefined: never. */
export function dueOf(task: Task): number | undefined {
  switch (task.status) {
    case "pending":
    case "running":
      return 0;
    case "sleeping":
      return task.until;
    case "parked":
      return task.deadline ?? undefined;
    case "waiting":
      return undefined;
  }
}
