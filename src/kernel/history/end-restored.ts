import { must } from "../../lib/assert.ts";
import type { Tx } from "../commit/tx.ts";
import type { Services } from "../run/services.ts";
import { taskOf, tasksOf } from "../state/control.ts";
import { NOTICE } from "../state/kinds.ts";
import { tellHooks } from "../turn/hook-chain.ts";
import { placeUnanswered } from "../turn/place.ts";
import { placeWrites } from "../turn/writes.ts";

/**
 * Keys of effects are made of ids: those that were given out since the backup must not come again, by a second restore
 * either. So ids go on from the time, of which no conversation uses as many; and where one did, this far ahead.
 */
const ID_MS = 100;
const LEAP = 1_000_000;

/**
 * Over a storage that is a backup's: ends, in one commit, everything that was under way in it. Whatever that was about to
 * do may have been done since: nothing of it is sent, run or answered, and what was accepted stands in the transcript.
 */
export function endRestored(services: Services): void {
  const { store } = services;
  const { restored: madeAt } = store.control;
  if (madeAt !== undefined) store.commit((tx) => endAll(services, tx, madeAt));
}

function endAll({ kinds, registry }: Services, tx: Tx, madeAt: number): void {
  const { control } = tx;
  control.nextId = Math.max(control.nextId + LEAP, Math.floor(tx.now / ID_MS));
  const unsent = control.outbox.map(({ target }) => target);
  for (const { key } of control.outbox) tx.unsend(key);
  // What waits on people does not leave its turn any more.
  if (control.turn) control.turn = { ...control.turn, stopping: true };
  let ended = 0;
  // From the leaves up: what is owned is younger than its owner.
  for (let task = tasksOf(control).at(-1); task; task = tasksOf(control).at(-1)) {
    const kind = kinds.of(task.kind);
    if (kind?.restored) kind.restored(tx, task);
    else kind?.fault(tx, task, "it was restored from a backup");
    if (taskOf(control, task.id)) tx.finish(task.id, "aborted");
    ended++;
  }
  const waited = placeInbox(tx);
  const counts = { ended, unanswered: waited, unsent: unsent.length };
  if (ended + waited + unsent.length > 0) {
    const text =
      `[System] This conversation was restored from a backup. What was under way when that was made has ended and is not ` +
      `taken up again, because it may have been done since: ${ended} pieces of work, ${waited} messages that waited ` +
      `for an answer, ${unsent.length} deliveries that were not sent. Do none of it again unless somebody asks for it now.`;
    const data = {
      input: `system:restored:${madeAt}`,
      actor: "",
      restored: { madeAt, ...counts, targets: [...new Set(unsent)] },
    };
    tx.append({ kind: NOTICE, message: { role: "user", content: [{ type: "text", text }] }, data: { ...data } });
  }
  delete control.restored;
  tellHooks(tx, registry.snapshot(), "restored", (hooks, host) => hooks.restored?.(host));
}

/** What waited in line stands in the transcript, in its order. Gives how many nobody answers any more. */
function placeInbox(tx: Tx): number {
  placeWrites(tx, "between");
  const { inbox } = tx.control;
  tx.control.inbox = [];
  for (const { key } of inbox) {
    const input = must(tx.input(key), `queued input ${key} has no row`);
    if (input.state.status === "queued") placeUnanswered(tx, input, input.state);
  }
  return inbox.length;
}
