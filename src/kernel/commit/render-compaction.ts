import type { CompactionView } from "../../protocol/view.ts";
import type { CompactionCheckpoint } from "../state/compaction.ts";
import { type Control, tasksOf } from "../state/control.ts";
import { COMPACTION } from "../state/kinds.ts";
import type { Task } from "../state/task.ts";

/** The compaction under way, as clients see it. */
export function renderCompaction(control: Control): CompactionView | null {
  const task = tasksOf(control).find((one) => one.kind === COMPACTION);
  if (!task) return null;
  const { reason, attempt, part, parts } = task.checkpoint as unknown as CompactionCheckpoint;
  return { task: task.id, reason, stage: stageOf(task), attempt, part, parts, stopping: task.aborting };
}

function stageOf(task: Task): CompactionView["stage"] {
  if (task.status === "sleeping") return "retrying";
  const { phase } = task.checkpoint as unknown as CompactionCheckpoint;
  return phase === "prepare" ? "preparing" : phase;
}
