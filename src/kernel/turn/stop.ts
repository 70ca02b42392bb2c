import type { Tx } from "../commit/tx.ts";
import { turnTasks } from "../state/control.ts";
import { importOf } from "../state/importing.ts";
import { isSystemInput } from "./place.ts";

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

/** Takes a queued input back; it ends unanswered. */
export function withdrawQueued(tx: Tx, key: string): void {
  const input = tx.input(key);
  if (input?.state.status !== "queued") throw new Error(`Bug: input ${key} is not queued`);
  tx.putInput({ ...input, state: { status: "unanswered", reason: "aborted" } });
  tx.control.inbox = tx.control.inbox.filter((item) => item.key !== key);
  tx.emit({ type: "input.aborted", input: key });
}
