import type { UserPart } from "../../protocol/message.ts";
import type { ToolOutcome, ToolResultData } from "../../protocol/view.ts";
import type { Tx } from "../commit/tx.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { ToolControl } from "../state/control.ts";
import { TOOL_RESULT } from "../state/kinds.ts";
import type { Task } from "../state/task.ts";
import type { TaskOutcome } from "../storage/done.ts";
import type { StoredCall } from "./call.ts";
import { tellHooks } from "./hook-chain.ts";

/** How a call ended, as told to the model and shown to people. */
export interface CallResult {
  readonly outcome: ToolOutcome;
  readonly content: readonly UserPart[];
  readonly code?: string;
  readonly ms?: number;
  readonly decidedBy?: string;
  /** What it asks of the turn. */
  readonly control?: ToolControl;
}

export function textResult(outcome: ToolOutcome, code: string, text: string): CallResult {
  return { outcome, code, content: [{ type: "text", text }] };
}

/** Stores a call's result in its turn: entry, tool row, end of the task. The step goes on when it was the last one. */
export function settleTurnCall(
  tx: Tx,
  task: Task,
  call: StoredCall,
  result: CallResult,
  registry: RegistrySnapshot,
): void {
  appendResult(tx, call, result, task.id);
  endCallTask(tx, task, result, registry);
  const { turn } = tx.control;
  if (!turn) return;
  const { outcome, control } = result;
  const ended = { outcome, ...(control && outcome === "ok" && { control }) };
  const tools = turn.tools.map((tool) => (tool.task === task.id ? { ...tool, ...ended } : tool));
  tx.control.turn = { ...turn, tools };
}

/** Appends the result entry of a call. */
export function appendResult(tx: Tx, call: StoredCall, result: CallResult, task?: number): void {
  const { outcome, content, code, ms, decidedBy } = result;
  const data: ToolResultData = {
    entry: call.entry,
    index: call.index,
    outcome,
    ...(code !== undefined && { code }),
    ...(ms !== undefined && { ms }),
    ...(decidedBy !== undefined && { decidedBy }),
  };
  const isError = outcome !== "ok";
  const message = { role: "tool", callId: call.id, name: call.name, content, isError } as const;
  tx.append({ kind: TOOL_RESULT, message, data: { ...data }, ...(task !== undefined && { task }) });
}

/** Ends the task of a call and tells the namespaces. */
export function endCallTask(tx: Tx, task: Task, result: CallResult, registry: RegistrySnapshot): void {
  tx.emit({ type: "tool.finished", task: task.id, outcome: result.outcome });
  const code = result.code === undefined ? {} : { code: result.code };
  const call = { task: task.id, outcome: result.outcome, ...code };
  tellHooks(tx, registry, "settled", (hooks, host) => hooks.settled?.(host, call));
  tx.finish(task.id, taskOutcomeOf(result.outcome));
}

function taskOutcomeOf(outcome: ToolOutcome): TaskOutcome {
  if (outcome === "stopped") return "aborted";
  return outcome === "ok" || outcome === "pending" ? "completed" : "failed";
}
