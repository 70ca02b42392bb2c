import { must } from "../../lib/assert.ts";
import type { SummaryData } from "../../protocol/view.ts";
import type { Tx } from "../commit/tx.ts";
import { MAX_SPANS } from "../limits.ts";
import { type CompactionSlot, type Cut, compactionOf, liveCompaction } from "../state/compaction.ts";
import { type Control, taskOf } from "../state/control.ts";
import { SUMMARY } from "../state/kinds.ts";
import { type Spans, withSpan } from "../state/spans.ts";
import type { Task } from "../state/task.ts";
import type { TaskOutcome } from "../storage/done.ts";
import { messageTokens } from "./estimate.ts";
import { summaryMessage } from "./prompt.ts";

/** Why a compaction came to nothing. */
export type CompactionFault =
  | "declined"
  | "faulted"
  | "interrupted"
  | "no_model"
  | "spending"
  | "stale"
  | "stopped"
  | "too_long"
  | "unusable"
  | "vendor";

const STALE = "The conversation began anew or went back meanwhile, so the summary is of no use.";

/** True once the transcript that a cut was chosen in is not the active one any more. */
export function isStale(control: Control, cut: Cut): boolean {
  return control.head !== cut.head;
}

/** Ends a compaction whose transcript is not the active one any more. */
export function failStale(tx: Tx, task: Task): void {
  failCompaction(tx, task, "stale", STALE);
}

/** Between two requests: puts the summary that waits into the transcript. False: none waits, or it came too late. */
export function placeReadySummary(tx: Tx): boolean {
  const task = liveCompaction(tx.control);
  if (!task || task.aborting || compactionOf(task).phase !== "placing") return false;
  return placeSummary(tx, task);
}

/** True when no request and no call stands between a compaction and its place: no turn runs, or it waits for this. */
export function mayPlace(control: Control, task: number): boolean {
  if (!control.turn) return true;
  const generation = taskOf(control, control.turn.task);
  return generation?.status === "waiting" && generation.tasks.includes(task);
}

/** Appends the summary, which begins the transcript anew, and ends the compaction. False: it was stale. */
export function placeSummary(tx: Tx, task: Task): boolean {
  const checkpoint = compactionOf(task);
  if (checkpoint.phase !== "placing") throw new Error(`Bug: compaction ${task.id} has no summary to place`);
  const { cut, reason, model, usage } = checkpoint;
  if (isStale(tx.control, cut)) {
    failStale(tx, task);
    return false;
  }
  const { text } = must(tx.readSlot(task.id), `compaction ${task.id} lost its summary`) as unknown as CompactionSlot;
  const message = summaryMessage(text);
  const data: SummaryData = {
    reason,
    through: cut.through,
    tokensBefore: cut.tokens,
    tokensAfter: summaryTokens(text),
    model,
    usage,
  };
  const head = spansBeside(tx.control, cut);
  const entry = tx.append({ kind: SUMMARY, message, data: { ...data, usage: { ...usage } }, task: task.id, head });
  tx.finish(task.id, "completed", { entry });
  tx.emit({ type: "compaction.finished", task: task.id, reason, entry });
  return true;
}

/** Estimated tokens of a summary in a request. */
export function summaryTokens(text: string): number {
  return messageTokens(summaryMessage(text));
}

/** Ends a compaction without a summary, saying why. After one by itself the turn goes on and makes no other. */
export function failCompaction(
  tx: Tx,
  task: Task,
  code: CompactionFault,
  error: string,
  outcome: TaskOutcome = "failed",
): void {
  const { reason } = compactionOf(task);
  const { turn } = tx.control;
  if (turn && reason === "threshold" && task.owner === turn.task) tx.control.turn = { ...turn, uncompacted: true };
  tx.finish(task.id, outcome, { code, error });
  tx.emit({ type: "compaction.failed", task: task.id, reason, code, error });
}

/** What stays active beside the summary: everything after the cut, and what was kept before it as far as there is room. */
function spansBeside({ kept, activeFrom, lastEntry }: Control, { through, keep }: Cut): Spans {
  const after = [...kept, [activeFrom, lastEntry] as const].flatMap(([from, to]): Spans => {
    return to <= through ? [] : [[Math.max(from, through + 1), to]];
  });
  const room = Math.max(0, MAX_SPANS - after.length);
  const alone = room === 0 ? [] : keep.slice(-room);
  return [...alone.map((id) => [id, id] as const), ...after].reduce<Spans>((spans, span) => withSpan(spans, span), []);
}
