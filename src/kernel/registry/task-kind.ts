import type { Json } from "../../lib/json.ts";
import type { Tx } from "../commit/tx.ts";
import type { Checkpoint, Task } from "../state/task.ts";

/** One invocation of a task's handler. */
export interface Run {
  readonly id: number;
  /** Aborts on stop, suspend and close. */
  readonly signal: AbortSignal;
  /** The task as last committed. */
  task(): Task;
  /**
   * One commit of this invocation.
   * @throws KernelError `revoked` when the task was stopped or finished, or this invocation is over.
   */
  commit<T>(builder: (tx: Tx) => T): T;
}

/**
 * A kind of durable work as the loop runs it: the kernel's own, and what `run/plugin-kind` makes of a plugin's. A phase's handler runs until it committed what comes next: another phase, sleep, wait, park or
 * the end. A handler that has an effect commits its in-flight phase first, has the effect, and commits the outcome; the
 * handler listed for an in-flight phase is the recovery that runs when a crash left the task there.
 */
export interface TaskKind {
  readonly kind: string;
  /** Exhaustive: a checkpoint naming another phase faults the task. */
  readonly phases: { readonly [phase: string]: (run: Run) => Promise<void> };
  readonly inFlight: readonly string[];
  /** Runs instead of any phase once the task is marked; ends it. Repeatable. */
  abort(run: Run): Promise<void>;
  /** Closes the task inside a commit when its kind broke the contract. */
  fault(tx: Tx, task: Task, reason: string): void;
  /** As `fault`, where nobody did wrong: the storage was restored from a backup. Absent: `fault` says so. */
  restored?(tx: Tx, task: Task): void;
  /** What clients see of a background task; absent: its phase. */
  describe?(checkpoint: Checkpoint, input: Json): Json;
}
