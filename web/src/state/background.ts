import { cutText } from "../../../src/lib/cut.ts";
import type { Json } from "../../../src/lib/json.ts";
import type { CompactionView, TaskView, View } from "../../../src/protocol/view.ts";

/** One line of what runs beside the conversation. */
export interface BackgroundTask {
  readonly id: number;
  /** Its kind, "" where the words say it. */
  readonly name: string;
  readonly words: string;
  readonly isStopping: boolean;
}

const STATUS_UNITS = 120;

/** What runs outside of the turn. A summary that is no part of a turn comes first, once, with how far it is. */
export function backgroundTasks(view: Pick<View, "tasks" | "compaction" | "turn">): readonly BackgroundTask[] {
  const { compaction, turn } = view;
  const tasks = Object.entries(view.tasks).map(([id, task]) => ({ id: Number(id), task }));
  const others = tasks.filter(({ id }) => id !== compaction?.task).map(({ id, task }) => describeTask(id, task));
  if (compaction === null || turn !== null) return others;
  const { task, stopping } = compaction;
  return [{ id: task, name: "", words: describeCompaction(compaction), isStopping: stopping }, ...others];
}

function describeTask(id: number, task: TaskView): BackgroundTask {
  const isStopping = task.stopping === true;
  const state = task.blocked === true ? "its code is missing; it waits" : describeStatus(task.status);
  return { id, name: nameKind(task.kind), words: isStopping ? "stopping…" : (CALL_PHASES[state] ?? state), isStopping };
}

/** The phases of a call that left its turn, as a person would put them. */
const CALL_PHASES: Readonly<Record<string, string>> = { check: "waits for somebody", started: "runs" };

/** The kernel's kinds as a person would call them. */
const KIND_NAMES: Readonly<Record<string, string>> = {
  "core.call": "tool call",
  "core.compaction": "summary",
  "core.import": "copying",
  "core.child": "side conversation",
};

/** "digest.nightly_run" → "nightly run" */
function nameKind(kind: string): string {
  const known = KIND_NAMES[kind];
  if (known !== undefined) return known;
  return kind.slice(kind.lastIndexOf(".") + 1).replaceAll(/[_-]/g, " ");
}

/** A status is whatever the kind describes: a sentence, a phase, or facts by name. */
function describeStatus(status: Json): string {
  if (typeof status !== "object" || status === null)
    return status === null ? "" : cutText(String(status), STATUS_UNITS);
  const facts = Object.entries(status).map(([name, value]) => {
    const words = typeof value === "string" ? value : JSON.stringify(value);
    return name === "phase" ? words : `${name} ${words}`;
  });
  return cutText(facts.join(", "), STATUS_UNITS);
}

/** "Summarising older messages… part 2 of 3" */
export function describeCompaction(compaction: CompactionView): string {
  if (compaction.stopping) return "Stopping the summary…";
  const part = compaction.parts > 1 ? ` part ${compaction.part} of ${compaction.parts}` : "";
  const attempt = compaction.stage === "retrying" || compaction.attempt > 1 ? `, attempt ${compaction.attempt}` : "";
  return `Summarising older messages…${part}${attempt}`;
}
