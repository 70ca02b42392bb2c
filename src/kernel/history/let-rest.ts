import type { Json } from "../../lib/json.ts";
import type { Tx } from "../commit/tx.ts";
import { type Control, tasksOf } from "../state/control.ts";
import { CALL, CHILD, COMPACTION } from "../state/kinds.ts";
import type { Task } from "../state/task.ts";
import { markStopping, withdrawQueued } from "../turn/stop.ts";

/**
 * Ends, inside a commit, whatever would still write for these actors: their turn and what they have queued, their calls
 * outside of turns, conversations that work for them, and a summary that is being made of their words, whoever needs it.
 * True: nothing of it is live any more.
 */
export function letRest(tx: Tx, actors: readonly string[]): boolean {
  const { turn } = tx.control;
  if (turn && actors.includes(turn.actor)) markStopping(tx);
  for (const { key, actor } of tx.control.inbox) if (actors.includes(actor)) withdrawQueued(tx, key);
  for (const task of tasksOf(tx.control)) if (isFor(task, actors)) tx.markAborting(task.id);
  return !isLive(tx.control, actors);
}

function isLive(control: Control, actors: readonly string[]): boolean {
  const { turn, inbox } = control;
  return (
    (turn !== null && actors.includes(turn.actor)) ||
    inbox.some(({ actor }) => actors.includes(actor)) ||
    tasksOf(control).some((task) => isFor(task, actors))
  );
}

function isFor({ kind, input }: Task, actors: readonly string[]): boolean {
  if (kind === COMPACTION) return true;
  if (kind !== CALL && kind !== CHILD) return false;
  const { speaker } = input as { readonly speaker?: { readonly actor: string; readonly meta: Json } | null };
  return speaker ? actors.includes(speaker.actor) : false;
}
