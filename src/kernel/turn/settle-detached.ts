import type { ToolOutcome } from "../../protocol/view.ts";
import type { Tx } from "../commit/tx.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { Task } from "../state/task.ts";
import { admitInput } from "./admit.ts";
import { type StoredCall, speakerOf } from "./call.ts";
import { type CallResult, endCallTask } from "./settle-call.ts";

/**
 * Ends a call that left its turn: its result becomes an input of origin system for the original speaker, in the same
 * commit. A provider never sees a second result for the call.
 */
export function settleDetachedCall(
  tx: Tx,
  task: Task,
  call: StoredCall,
  result: CallResult,
  registry: RegistrySnapshot,
): void {
  const { actor, meta } = speakerOf(tx.control, task);
  endCallTask(tx, task, result, registry);
  const label = { type: "text", text: labelOf(call, result) } as const;
  const key = `system:call:${task.id}`;
  admitInput(tx, { key, actor, meta, content: [label, ...result.content], mode: "queue" }, registry);
}

function labelOf(call: StoredCall, result: CallResult): string {
  const by = result.decidedBy === undefined ? "" : ` Decided by ${result.decidedBy}.`;
  return `[System] The call of ${call.name} that was waiting ${ENDED[result.outcome]}.${by} What follows is its result:`;
}

const ENDED: Readonly<Record<ToolOutcome, string>> = {
  ok: "has run",
  error: "has run and failed",
  blocked: "did not run",
  stopped: "was stopped",
  unknown: "was interrupted",
  pending: "still waits",
};
