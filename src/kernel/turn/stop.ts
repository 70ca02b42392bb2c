import type { Tx } from "../commit/tx.ts";
import { turnTasks } from "../state/control.ts";
import { importOf } from "../state/importing.ts";
import { isSystemInput } from "./place.ts";
import { isWrite } from "./writes.ts";

/**
 * The stop mark, one commit: every task of the turn is to abort, what its speaker still had queued is withdrawn. Returns
 * the marked tasks; empty when nothing runs or it is stopping already.
 */
export function markStopping(tx: Tx): readonly number[] {
  const { turn } = tx.control;
  const copying = importOf(tx.control);
  if (copying) return tx.markAborting(copying.id);
  if (!turn || turn.stopping) return [];
  const marked = turnTasks(tx.control).flatMap((task) => tx.markAborting(task.id));
  tx.control.turn = { ...turn, stopping: true };
  for (const { key, actor } of tx.control.inbox) {
    // What a call that went on alone has to tell was promised, and nobody may take it back.
    if (actor === turn.actor && !isSystemInput(key)) withdrawQueued(tx, key);
  }
  return marked;
}

/** The answer to a withdrawal. Only `aborted` changed anything. */
export type WithdrawOutcome = "aborted" | "already_placed" | "settled" | "not_found";

/** Takes an input back, as long as it is queued. */
export function withdrawInput(tx: Tx, key: string): WithdrawOutcome {
  const status = tx.input(key)?.state.status;
  // Nobody said what the system has to tell or a plugin wrote, so nobody takes it back.
  if (status === undefined || isSystemInput(key) || isWrite(key)) return "not_found";
  if (status === "placed") return "already_placed";
  if (status !== "queued") return "settled";
  withdrawQueued(tx, key);
  return "aborted";
}

/** Takes a queued input back; it ends unanswered. */
export function withdrawQueued(tx: Tx, key: string): void {
  const input = tx.input(key);
  if (input?.state.status !== "queued") throw new Error(`Bug: input ${key} is not queued`);
  tx.putInput({ ...input, state: { status: "unanswered", reason: "aborted" } });
  tx.control.inbox = tx.control.inbox.filter((item) => item.key !== key);
  tx.emit({ type: "input.aborted", input: key });
}
