import type { CompactionView } from "../../protocol/view.ts";
import { compactionOf, liveCompaction } from "../state/compaction.ts";
import type { Control } from "../state/control.ts";
import type { Task } from "../state/task.ts";

/** The compaction under way, as clients see it. */
export function renderCompaction(control: Control): CompactionView | null {
  const task = liveCompaction(control);
  if (!task) return null;
  const { reason, attempt, part, parts } = compactionOf(task);
  return { task: task.id, reason, stage: stageOf(task), attempt, part, parts, stopping: task.aborting };
}

function stageOf(task: Task): CompactionView["stage"] {
  if (task.status === "sleeping") return "retrying";
  const { phase } = compactionOf(task);
  if (phase === "prepare") return "preparing";
  return phase === "ready" ? "summarizing" : phase;
}
