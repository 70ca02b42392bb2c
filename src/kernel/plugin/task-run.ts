import type { Json } from "../../lib/json.ts";
import { KernelError } from "../errors.ts";
import type { TaskDefinition, TaskRun } from "../registry/task-definition.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import { withGrace } from "../run/with-grace.ts";
import { readReceipt } from "../storage/done.ts";
import { hostRead } from "./host-read.ts";
import { taskTx } from "./host-tx.ts";

/**
 * Runs a handler with what it may do. Whatever it kept of that is dead once it returned or threw, and once it was stopped
 * and did not end within the grace. @throws what the handler threw, and when the signal aborted meanwhile.
 */
export async function withTaskRun<T>(
  services: Services,
  definition: TaskDefinition,
  run: Run,
  handler: (run: TaskRun) => Promise<T>,
): Promise<T> {
  let isOver = false;
  const handle = taskRun(services, definition, run, () => {
    if (isOver)
      throw new KernelError("revoked", `The handler of task ${run.id} has returned: it may not write any more.`);
  });
  try {
    const made = await withGrace(services.ports.clock, handler(handle), run.signal);
    run.signal.throwIfAborted();
    return made as T;
  } finally {
    isOver = true;
  }
}

/** A name that no namespace can have. */
function memosOf(definition: TaskDefinition): string {
  return `task:${definition.kind}`;
}

function taskRun(services: Services, definition: TaskDefinition, run: Run, requireAlive: () => void): TaskRun {
  const { store, ports, host } = services;
  const { id, input } = run.task();
  const commit: TaskRun["commit"] = (builder) => {
    requireAlive();
    return run.commit((tx) => builder(taskTx(tx, id)));
  };
  return Object.freeze<TaskRun>({
    id,
    input: structuredClone(input),
    get checkpoint() {
      requireAlive();
      return structuredClone(run.task().checkpoint);
    },
    idempotencyKey: `${host.name}/${id}`,
    signal: run.signal,
    read: hostRead(store),
    now: () => ports.clock.now(),
    memo(name: string, candidate: Json) {
      requireAlive();
      return run.commit((tx) => tx.memoOnce(id, memosOf(definition), name, candidate));
    },
    receipt: (task) => readReceipt(ports.storage, task),
    commit,
    enter(checkpoint) {
      requireAlive();
      if (!definition.inFlight.includes(checkpoint.phase)) {
        throw new Error(`${definition.kind}: the phase ${checkpoint.phase} is not declared in flight`);
      }
      run.commit((tx) => tx.checkpoint(id, checkpoint));
    },
  });
}
