import type { Tx } from "../commit/tx.ts";
import type { GenerationCheckpoint, PinnedRequest } from "../state/checkpoints.ts";
import type { Checkpoint, Task } from "../state/task.ts";
import type { SentWith } from "../storage/entries.ts";

export function checkpointOf(task: Task): GenerationCheckpoint {
  return task.checkpoint as unknown as GenerationCheckpoint;
}

/** The checkpoint as plain JSON. */
export function storedCheckpoint(checkpoint: GenerationCheckpoint): Checkpoint {
  return { ...checkpoint, pinned: checkpoint.pinned && { ...checkpoint.pinned } };
}

/** What is kept of a request beside its answer, so that it can be made again. */
export function sentWith({ model, thinking, volatile, cutoff }: PinnedRequest): SentWith {
  return { model, thinking, volatile, cutoff };
}

/** Makes a generation prepare a new request, whatever it was at. */
export function prepareAnew(
  tx: Tx,
  task: number,
  { step, requests }: Pick<GenerationCheckpoint, "step" | "requests">,
): void {
  const checkpoint = { phase: "prepare", step, attempt: 0, requests, pinned: null, error: null } as const;
  tx.checkpoint(task, storedCheckpoint(checkpoint));
  tx.setStatus(task, { status: "running" });
}
