import type { Json } from "../../lib/json.ts";
import type { Tx } from "../commit/tx.ts";
import type { Step, StepOrBuilder, TaskDefinition, TaskRun } from "../registry/task-definition.ts";
import type { Run, TaskKind } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import type { Checkpoint } from "../state/task.ts";
import { readReceipt } from "../storage/done.ts";
import { taskTx } from "./host-tx.ts";

/** How often a phase may find that what it saw went stale. */
const MAX_AGAIN = 100;

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
      await definition.abort?.(taskRun(services, definition, run));
      run.commit((tx) => tx.finish(run.id, "aborted"));
    },
    fault(tx, task, reason) {
      tx.finish(task.id, "faulted", { error: reason });
    },
    ...(describe && { describe: (checkpoint) => describe(checkpoint) }),
  };
}

/** Runs a phase to its step and commits it. */
async function bringFurther(services: Services, definition: TaskDefinition, phase: string, run: Run): Promise<void> {
  for (let round = 0; round < MAX_AGAIN; round++) {
    const handler = definition.phases[phase];
    if (!handler) throw new Error(`${definition.kind} has no phase ${JSON.stringify(phase)}`);
    services.calls.count++;
    const step = await handler(taskRun(services, definition, run));
    if (run.commit((tx) => takeStep(tx, run.id, definition, step)) === "done") return;
  }
  throw new Error(`${definition.kind} found what it saw stale ${MAX_AGAIN} times in a row`);
}

function takeStep(tx: Tx, id: number, definition: TaskDefinition, made: StepOrBuilder): "done" | "again" {
  const step: Step = typeof made === "function" ? made(taskTx(tx, id)) : made;
  switch (step.kind) {
    case "again":
      return "again";
    case "complete":
      tx.finish(id, "completed", step.result);
      return "done";
    case "fail":
      tx.finish(id, "failed", { error: step.error });
      return "done";
    case "next":
    case "sleep":
    case "wait":
    case "park":
      refuseInFlight(definition, step.checkpoint);
      tx.checkpoint(id, step.checkpoint);
      tx.setStatus(id, statusOf(tx, step));
      return "done";
  }
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
      const live = step.tasks.filter((on) => Object.hasOwn(tx.control.tasks, String(on)));
      return live.length > 0 ? { status: "waiting", tasks: live } : { status: "running" };
    }
  }
}

function refuseInFlight({ kind, inFlight }: TaskDefinition, { phase }: Checkpoint): void {
  if (!inFlight.includes(phase)) return;
  throw new Error(`${kind} went into the phase ${phase}, which is in flight: enter it before its effect instead`);
}

function taskRun(services: Services, definition: TaskDefinition, run: Run): TaskRun {
  const { store, ports, host } = services;
  const { id, input } = run.task();
  const commit: TaskRun["commit"] = (builder) => run.commit((tx) => builder(taskTx(tx, id)));
  return {
    id,
    input,
    get checkpoint() {
      return run.task().checkpoint;
    },
    idempotencyKey: `${host.name}/${id}`,
    signal: run.signal,
    read: store,
    now: () => ports.clock.now(),
    memo: (name: string, candidate: Json) => run.commit((tx) => tx.memoOnce(id, definition.kind, name, candidate)),
    receipt: (task) => readReceipt(ports.storage, task),
    commit,
    enter(checkpoint) {
      if (!definition.inFlight.includes(checkpoint.phase)) {
        throw new Error(`${definition.kind}: the phase ${checkpoint.phase} is not declared in flight`);
      }
      run.commit((tx) => tx.checkpoint(id, checkpoint));
    },
  };
}
