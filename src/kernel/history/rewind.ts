import { err, ok, type Result } from "../../lib/result.ts";
import type { RewindData } from "../../protocol/view.ts";
import type { Tx } from "../commit/tx.ts";
import { activeSpansAt } from "../context/active-at.ts";
import { MAX_SPANS } from "../limits.ts";
import type { StoragePort } from "../ports/storage.ts";
import { type Control, tasksOf } from "../state/control.ts";
import { CALL, IMPORT, REWIND, TOOL_RESULT } from "../state/kinds.ts";
import { holdsId, withSpan } from "../state/spans.ts";
import { readEntriesAfter } from "../storage/entries.ts";

/**
 * Why a conversation does not go back. `busy`: something is live that stands on what would go. `no_such_entry`: it is not
 * part of what is shown. `inside_a_step`: a call would lose its result. `too_many_stretches`: it went back too often.
 */
export type RewindRefusal = "busy" | "no_such_entry" | "inside_a_step" | "too_many_stretches";

/** Before every revision: where a conversation stands that goes back to its start. */
const BEFORE_ALL = -1;

/** Goes back to an entry (0: to the start), inside a commit. Refusals write nothing. @param by an opaque actor. */
export function rewindTo(tx: Tx, storage: StoragePort, to: number, by: string): Result<number, RewindRefusal> {
  const { control } = tx;
  if (isLive(control)) return err("busy");
  const target = to === 0 ? undefined : tx.entry(to);
  if (to !== 0 && (!target || holdsId(control.left, to))) return err("no_such_entry");
  if (readEntriesAfter(storage, to, 1)[0]?.kind === TOOL_RESULT) return err("inside_a_step");
  const kept = to === 0 ? [] : activeSpansAt(storage, to);
  const left = [to + 1, control.nextId - 1] as const;
  const allLeft = withSpan(control.left, left);
  if (kept.length > MAX_SPANS || allLeft.length > MAX_SPANS) return err("too_many_stretches");
  control.left = allLeft;
  const data: RewindData = { to, left, by };
  const entry = tx.append({ kind: REWIND, data: { ...data }, head: kept });
  tx.namespaces.rewindTo(target?.rev ?? BEFORE_ALL);
  return ok(entry);
}

/** A turn, a call that waits for somebody, a copy or other work of the foreground stands on the transcript as it is. */
function isLive(control: Control): boolean {
  return (
    control.turn !== null ||
    tasksOf(control).some(({ background, kind }) => !background || kind === CALL || kind === IMPORT)
  );
}
