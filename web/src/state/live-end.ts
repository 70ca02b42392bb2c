import type { LiveText } from "../../../src/protocol/frames.ts";
import type { View } from "../../../src/protocol/view.ts";
import { dropTask, type Live } from "./live.ts";

/**
 * Drops streamed text that a commit has overtaken: its answer is an entry now, its attempt failed, or its task is over.
 */
export function settleLive(live: Live, previous: View, next: View): Live {
  if (live.length === 0) return live;
  const tasks = new Set(live.map((item) => item.task));
  let settled = live;
  for (const task of tasks) {
    if (isAnswered(task, previous, next) || isOver(task, next) || isRetrying(task, next)) {
      settled = dropTask(settled, task);
    }
  }
  return settled;
}

/**
 * Whether a task can be streaming now, by the view. What comes for another one is late: its answer is committed or its
 * task is over, and showing it would show a text twice.
 */
export function mayStream(view: View, delta: Pick<LiveText, "task" | "channel">): boolean {
  if (isOver(delta.task, view)) return false;
  const isAnswer = view.turn?.task === delta.task && delta.channel !== "progress";
  return !isAnswer || view.turn?.stage === "requesting" || view.turn?.stage === "preparing";
}

/** Ids rise strictly, so entries beyond the newest known one are the new ones. */
function isAnswered(task: number, previous: View, next: View): boolean {
  const newest = previous.entries.at(-1)?.id ?? 0;
  return next.entries.some((entry) => entry.id > newest && entry.task === task && entry.kind === "core.assistant");
}

function isOver(task: number, view: View): boolean {
  if (view.turn?.task === task || Object.hasOwn(view.tasks, String(task))) return false;
  return !(view.turn?.tools ?? []).some((tool) => tool.task === task && tool.status !== "done");
}

function isRetrying(task: number, view: View): boolean {
  return view.turn?.task === task && view.turn.stage === "retrying";
}
