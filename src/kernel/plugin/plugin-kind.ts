import type { Tx } from "../commit/tx.ts";
import type { Step, StepOrBuilder, TaskDefinition } from "../registry/task-definition.ts";
import type { Run, TaskKind } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import { withLimit } from "../run/with-limit.ts";
import type { Checkpoint } from "../state/task.ts";
import { endlessWait } from "../state/waits.ts";
import { taskTx } from "./host-tx.ts";
import { withTaskRun } from "./task-run.ts";

/** How often a phase may find that what it saw went stale. */
const MAX_AGAIN = 100;

/** Undoes the commit of a step that found its sight stale: the phase runs again as if it had not run. */
class StaleSight extends Error {}

/** A plugin's task kind as the loop runs it. */
export function pluginKind(services: Services, definition: TaskDefinition): TaskKind {
  const phases = Object.keys(definition.phases).map((phase) => {
    const runPhase = (run: Run) => bringFurther(services, definition, phase, run);
    return [phase, runPhase] as const;
  });
  const { describe } = definition;
  return {
    kind: definition.kind,
    phases: Object.fromEntries(phases),
    inFlight: definition.inFlight,
    async abort(run) {
      const cleaned = withTaskRun(services, definition, run, async (handle) => await definition.abort?.(handle));
      await withLimit(services.ports.clock, cleaned, run.signal);
      run.commit((tx) => tx.finish(run.id, "aborted"));
    },
    fault(tx, task, reason) {
      tx.finish(task.id, "faulted", { error: reason });
    },
    ...(describe && { describe: (checkpoint) => describe(structuredClone(checkpoint)) }),
  };
}

/** Runs a phase to its step and commits it. */
async function bringFurther(services: Services, definition: TaskDefinition, phase: string, run: Run): Promise<void> {
  const handler = definition.phases[phase];
  if (!handler) throw new Error(`${definition.kind} has no phase ${JSON.stringify(phase)}`);
  for (let round = 0; round < MAX_AGAIN; round++) {
    services.calls.count++;
    const wasParked = run.task().status === "parked";
    const step = await withTaskRun(services, definition, run, handler);
    if (commitStep(run, definition, step, wasParked) === "done") return;
  }
  throw new Error(`${definition.kind} found what it saw stale ${MAX_AGAIN} times in a row`);
}

function commitStep(run: Run, definition: TaskDefinition, made: StepOrBuilder, wasParked: boolean): "done" | "again" {
  try {
    run.commit((tx) => {
      // Woken while its handler looked once more: what that saw may be old.
      const wasWoken = wasParked && tx.task(run.id).status !== "parked";
      const step = typeof made === "function" ? made(taskTx(tx, run.id)) : made;
      if (wasWoken && step.kind === "park") throw new StaleSight();
      takeStep(tx, run.id, definition, step);
    });
    return "done";
  } catch (error) {
    if (error instanceof StaleSight) return "again";
    throw error;
  }
}

function takeStep(tx: Tx, id: number, definition: TaskDefinition, step: Step): void {
  switch (step.kind) {
    case "again":
      throw new StaleSight();
    case "complete":
      return tx.finish(id, "completed", step.result);
    case "fail":
      return tx.finish(id, "failed", { error: step.error });
    case "next":
    case "sleep":
    case "wait":
    case "park":
      refuseInFlight(definition, step.checkpoint);
      if (step.kind === "wait") requireEnd(tx, id, definition, step);
      tx.checkpoint(id, step.checkpoint);
      return tx.setStatus(id, statusOf(tx, step));
    default:
      throw new Error(`${definition.kind} gave no step: ${JSON.stringify(step)}`);
  }
}

/** A wait that is over already is a look at what was not finished when the handler looked; one without end is refused. */
function requireEnd(tx: Tx, id: number, { kind }: TaskDefinition, step: Extract<Step, { kind: "wait" }>): void {
  const endless = endlessWait(tx.control, id, step.tasks);
  if (endless !== undefined) throw new Error(`${kind} waits for task ${endless}, which cannot end before it does`);
  const isSame = JSON.stringify(step.checkpoint) === JSON.stringify(tx.task(id).checkpoint);
  if (isSame && liveOf(tx, step.tasks).length === 0) throw new StaleSight();
}

function statusOf(tx: Tx, step: Extract<Step, { readonly checkpoint: Checkpoint }>): Parameters<Tx["setStatus"]>[1] {
  switch (step.kind) {
    case "next":
      return { status: "running" };
    case "sleep":
      return { status: "sleeping", until: step.until };
    case "park":
      return { status: "parked", waitingOn: "", deadline: step.deadline };
    case "wait": {
      const live = liveOf(tx, step.tasks);
      return live.length > 0 ? { status: "waiting", tasks: live } : { status: "running" };
    }
  }
}

function liveOf(tx: Tx, tasks: readonly number[]): readonly number[] {
  return tasks.filter((on) => Object.hasOwn(tx.control.tasks, String(on)));
}

function refuseInFlight({ kind, inFlight }: TaskDefinition, { phase }: Checkpoint): void {
  if (!inFlight.includes(phase)) return;
  throw new Error(`${kind} went into the phase ${phase}, which is in flight: enter it before its effect instead`);
}
