import type { Json, JsonObject } from "../../lib/json.ts";
import type { Checkpoint } from "../state/task.ts";
import type { Receipt } from "../storage/done.ts";
import type { HostRead, HostTx } from "./host-tx.ts";
import { requireName } from "./namespace.ts";
import type { TaskToken } from "./task-token.ts";

/** What a phase came to. It is one commit with whatever its builder wrote. */
export type Step<C extends Checkpoint = Checkpoint> =
  /** Goes on in another phase, or in this one with more done. Never into a phase in flight: see {@link TaskRun.enter}. */
  | { readonly kind: "next"; readonly checkpoint: C }
  /** Goes on at a time, ms. */
  | { readonly kind: "sleep"; readonly until: number; readonly checkpoint: C }
  /** Goes on when every one of these tasks is finished, whatever became of it. */
  | { readonly kind: "wait"; readonly tasks: readonly number[]; readonly checkpoint: C }
  /** Goes on when somebody wakes it, or at the deadline, ms. */
  | { readonly kind: "park"; readonly deadline: number | null; readonly checkpoint: C }
  | { readonly kind: "complete"; readonly result: Json }
  | { readonly kind: "fail"; readonly error: string }
  /** What the phase saw went stale: it runs again. */
  | { readonly kind: "again" };

/** A step, or what makes it inside the commit. */
export type StepOrBuilder<C extends Checkpoint = Checkpoint> = Step<C> | ((tx: TaskTx) => Step<C>);

/** What a task may do inside a commit of its own. */
export interface TaskTx extends HostTx {
  /** Begins a task that this one owns: it is stopped with it. */
  createOwned<I extends Json>(definition: TaskToken<I>, input: I): number;
}

/** One invocation of a phase. Dead once its handler returned, or the task was stopped. */
export interface TaskRun<I extends Json = Json, C extends Checkpoint = Checkpoint> {
  readonly id: number;
  readonly input: I;
  /** As last committed. */
  readonly checkpoint: C;
  /** The same on every rerun of this task and different for every other one anywhere. */
  readonly idempotencyKey: string;
  /** Aborts on stop, suspend and close. */
  readonly signal: AbortSignal;
  readonly read: HostRead;
  now(): number;
  /** First writer wins. Gone with the task. */
  memo(name: string, candidate: Json): Json;
  /** The receipt of a finished task. */
  receipt(task: number): Receipt | undefined;
  /** One commit of this invocation. @throws KernelError `revoked` when it may not write any more. */
  commit<T>(builder: (tx: TaskTx) => T): T;
  /** Commits a phase in flight, immediately before its effect: a crash from here on runs that phase's handler, not this one. */
  enter(checkpoint: C): void;
}

/**
 * A kind of durable work of a plugin. Each phase's handler brings the task one step further. A handler that has an effect
 * enters a phase in flight first; the handler listed for that phase is the recovery after a crash: it repeats the effect
 * under the same key, or finds out what became of it.
 */
export interface TaskDefinition<I extends Json = Json, C extends Checkpoint = Checkpoint> extends TaskToken<I> {
  initial(input: I): C;
  /** Exhaustive: a checkpoint naming another phase faults the task. */
  readonly phases: { readonly [phase: string]: (run: TaskRun<I, C>) => Promise<StepOrBuilder<C>> };
  readonly inFlight: readonly string[];
  /** Cleans up once the task is stopped, after everything it owns. May run again after a crash. */
  abort?(run: TaskRun<I, C>): Promise<void>;
  /** What clients see of it; absent: its phase. Must be pure. */
  describe?(checkpoint: C): Json;
  /** Configuration keys of this kind and their defaults. */
  readonly config?: JsonObject;
}

/** The checkpoint that a phase's handler finds. */
type InPhase<C extends Checkpoint, P extends string> = [Extract<C, { readonly phase: P }>] extends [never]
  ? C & { readonly phase: P }
  : Extract<C, { readonly phase: P }>;

/**
 * Declares a task kind. Names the checkpoint as a union over its phases, and every phase gets its handler.
 * @throws when the name is badly formed or begins with `core.`, or a phase in flight has no handler.
 */
export function defineTask<I extends Json, C extends Checkpoint>(definition: {
  readonly kind: string;
  readonly initial: (input: I) => C;
  readonly phases: {
    readonly [P in C["phase"]]: (
      run: Omit<TaskRun<I, C>, "checkpoint"> & { readonly checkpoint: InPhase<C, P> },
    ) => Promise<StepOrBuilder<C>>;
  };
  readonly inFlight?: readonly C["phase"][];
  readonly abort?: (run: TaskRun<I, C>) => Promise<void>;
  readonly describe?: (checkpoint: C) => Json;
  readonly config?: JsonObject;
}): TaskDefinition<I, C> {
  const { inFlight = [], phases, ...rest } = definition;
  requireName("Task kind", definition.kind);
  const missing = inFlight.find((phase) => !Object.hasOwn(phases, phase));
  if (missing !== undefined) throw new Error(`Task kind ${definition.kind} has no handler for its phase ${missing}.`);
  return { ...rest, phases: phases as unknown as TaskDefinition<I, C>["phases"], inFlight };
}
