import type { GenerationCheckpoint } from "../state/checkpoints.ts";
import type { Checkpoint, Task } from "../state/task.ts";

export function checkpointOf(task: Task): GenerationCheckpoint {
  return task.checkpoint as unknown as GenerationCheckpoint;
}

/** The checkpoint as plain JSON. */
export function storedCheckpoint(checkpoint: GenerationCheckpoint): Checkpoint {
  return { ...checkpoint, pinned: checkpoint.pinned && { ...checkpoint.pinned } };
}
