import type { Tx } from "../commit/tx.ts";
import { CHILD_CHECK_MS, MAX_CHILD_MISSES } from "../limits.ts";
import { hostTx } from "../plugin/host-tx.ts";
import type { ChildInput, ChildLook } from "../ports/children.ts";
import type { Run, TaskKind } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import { withLimit } from "../run/with-limit.ts";
import { CHILD } from "../state/kinds.ts";
import type { Checkpoint } from "../state/task.ts";
import { settleChild } from "./settle.ts";
import { type ChildCheckpoint, childKey, sendToChild } from "./spawn.ts";

/** A conversation that a task owns. It waits, parked, for the report; all it does by itself is to ask now and then. */
export function childKind(services: Services): TaskKind {
  return {
    kind: CHILD,
    phases: { working: (run) => lookAfter(services, run) },
    inFlight: [],
    async abort(run) {
      run.commit((tx) => {
        sendToChild(tx, { op: "end", task: run.id });
        tx.finish(run.id, "aborted");
      });
    },
    fault(tx, task, reason) {
      sendToChild(tx, { op: "end", task: task.id });
      tx.finish(task.id, "faulted", { error: reason });
    },
    describe: (checkpoint, input) => describeChild(checkpoint, input as ChildInput),
  };
}

function describeChild(checkpoint: Checkpoint, { name }: ChildInput) {
  const { phase, progress } = checkpoint as ChildCheckpoint;
  return { phase, name, ...(progress && { step: progress.step, doing: progress.doing }) };
}

async function lookAfter(services: Services, run: Run): Promise<void> {
  const { ports } = services;
  const { checkAt } = run.task().checkpoint as ChildCheckpoint;
  // An open looks at everything that is parked: this is not due before its time.
  if (ports.clock.now() < checkAt) return;
  const look = await ask(services, run);
  run.commit((tx) => {
    if (look.state === "settled") {
      settleChild(tx, run.id, look.report);
      look.place?.(hostTx(tx));
      return sendToChild(tx, { op: "end", task: run.id });
    }
    // Nobody can know what is not created yet.
    const isCreated = !tx.control.outbox.some((item) => item.key === childKey(run.id));
    const before = tx.task(run.id).checkpoint as ChildCheckpoint;
    const misses = look.state === "working" || !isCreated ? 0 : before.misses + 1;
    if (misses >= MAX_CHILD_MISSES) return giveUp(tx, run.id);
    const next: ChildCheckpoint = { ...before, misses, checkAt: tx.now + CHILD_CHECK_MS };
    tx.checkpoint(run.id, next);
    tx.setStatus(run.id, { status: "parked", waitingOn: "", deadline: next.checkAt });
  });
}

async function ask({ ports, calls }: Services, run: Run): Promise<ChildLook> {
  if (!ports.children) return { state: "unknown" };
  calls.count++;
  try {
    return await withLimit(ports.clock, ports.children.look(run.id, run.signal), run.signal);
  } catch (error) {
    run.signal.throwIfAborted();
    ports.report.report("child.look_failed", { task: run.id, error: String(error) });
    return { state: "unknown" };
  }
}

function giveUp(tx: Tx, id: number): void {
  sendToChild(tx, { op: "end", task: id });
  const minutes = (CHILD_CHECK_MS * MAX_CHILD_MISSES) / 60_000;
  tx.finish(id, "failed", {
    error: `The conversation that was to do this is lost: it could not be found for ${minutes} minutes.`,
  });
}
