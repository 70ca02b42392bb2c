import type { Tx } from "../commit/tx.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { ToolCheckpoint } from "../state/checkpoints.ts";
import { taskOf, turnTasks } from "../state/control.ts";
import { CALL, TOOL } from "../state/kinds.ts";
import type { Task } from "../state/task.ts";
import { waitsOnPeopleOnly } from "../state/work-time.ts";
import { callOf, speakerOf, toolTaskInput } from "./call.ts";
import { tellHooks } from "./hook-chain.ts";
import { settleTurnCall, textResult } from "./settle-call.ts";

/**
 * Whoever speaks while their turn waits for decisions only has gone on, and so has whoever had spoken before it came to
 * that. Then the parked calls of the turn go, in the commit that makes it so: each gets the result `pending` and lives on
 * as a background task under the same parking. What was parked for (a hold) moves to the new task by `detached`.
 */
export function letParkedCallsGo(tx: Tx, registry: RegistrySnapshot): void {
  const { turn, inbox } = tx.control;
  if (!turn || turn.stopping || !waitsOnPeopleOnly(tx.control)) return;
  if (!inbox.some((item) => item.mode === "steer" && item.actor === turn.actor)) return;
  for (const task of turnTasks(tx.control)) {
    if (task.kind === TOOL && task.status === "parked") detachCall(tx, task, registry);
  }
}

/** A parked call goes by itself, whatever else its turn does. One that has left its turn already stays where it is. */
export function letCallGo(tx: Tx, id: number, registry: RegistrySnapshot): void {
  const task = taskOf(tx.control, id);
  if (tx.control.turn?.stopping || task?.kind !== TOOL || task.status !== "parked") return;
  detachCall(tx, task, registry);
}

function detachCall(tx: Tx, task: Task & { status: "parked" }, registry: RegistrySnapshot): void {
  const { entry, index } = toolTaskInput(task);
  const { actor, meta } = speakerOf(tx.control, task);
  const { waitingOn, deadline } = task;
  const to = tx.createTask({
    kind: CALL,
    input: { entry, index, speaker: { actor, meta } },
    checkpoint: { phase: "check", pendingText: null },
    background: true,
  });
  tx.setStatus(to, { status: "parked", waitingOn, deadline });
  tellHooks(tx, registry, "detached", (hooks, host) => hooks.detached?.(host, { from: task.id, to }));
  const call = callOf(task, (id) => tx.entry(id));
  settleTurnCall(tx, task, call, textResult("pending", "pending", pendingTextOf(task)), registry);
}

function pendingTextOf(task: Task): string {
  const checkpoint = task.checkpoint as ToolCheckpoint;
  return (checkpoint.phase === "check" ? checkpoint.pendingText : null) ?? "This call waits; it has not run.";
}
