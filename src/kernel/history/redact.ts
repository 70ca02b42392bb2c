import type { FileRef } from "../../protocol/message.ts";
import type { Tx } from "../commit/tx.ts";
import { KernelError } from "../errors.ts";
import { MAX_REDACTED } from "../limits.ts";
import type { StoragePort } from "../ports/storage.ts";
import { type Control, tasksOf } from "../state/control.ts";
import { CALL } from "../state/kinds.ts";
import { forgetResult } from "../storage/done.ts";
import { type Entry, readEntriesAfter, readEntry, replaceEntry } from "../storage/entries.ts";
import { redactInputs } from "../storage/inputs.ts";
import { setPin } from "./pins.ts";
import { stepWalk, type Walk } from "./said-by.ts";
import { tombstone } from "./tombstone.ts";

/** Entries of the next stretch that are made of somebody's words, and have them still. */
export interface Findings {
  readonly ids: readonly number[];
  /** How many of the stretch are theirs, tombstones too. */
  readonly theirs: number;
  /** Files that stand in them: who erases deletes them first, because afterwards nobody knows of them. */
  readonly files: readonly FileRef[];
  /** Where the search goes on; absent: there is nothing after this. */
  readonly next?: Walk;
}

/** Looks through the next {@link MAX_REDACTED} entries. Reads only. */
export function findSaid(storage: StoragePort, actors: readonly string[], from: Walk): Findings {
  const entries = readEntriesAfter(storage, from.after, MAX_REDACTED);
  let walk = from;
  const found: Entry[] = [];
  let theirs = 0;
  for (const entry of entries) {
    const step = stepWalk(walk, entry, actors);
    walk = step.walk;
    if (!step.isTheirs) continue;
    theirs++;
    if (!entry.redacted) found.push(entry);
  }
  return {
    ids: found.map(({ id }) => id),
    theirs,
    files: found.flatMap(filesIn),
    ...(entries.length === MAX_REDACTED && { next: walk }),
  };
}

/**
 * Puts a tombstone in the place of each entry, inside a commit: the one change that an entry ever sees. Gives how many
 * were not redacted before; what is not there is none.
 * @throws KernelError `too_large` for more than {@link MAX_REDACTED} at once.
 */
export function redactEntries(tx: Tx, storage: StoragePort, ids: readonly number[], by: string): number {
  if (ids.length > MAX_REDACTED) {
    throw new KernelError(
      "too_large",
      `${ids.length} entries were to be redacted in one commit, the limit is ${MAX_REDACTED}: take more commits.`,
    );
  }
  const redacted = { at: tx.now, by };
  let count = 0;
  for (const id of new Set(ids)) {
    const entry = readEntry(storage, id);
    if (!entry || entry.redacted || isNeeded(tx.control, entry)) continue;
    const left = tombstone(entry, redacted);
    replaceEntry(storage, left);
    tx.replaced.set(id, left);
    if (entry.task !== undefined) forgetResult(storage, entry.task);
    setPin(tx, id, false);
    count++;
  }
  return count;
}

/** What a plugin wrote may be what a call that runs or waits goes by: it stays until none does. */
function isNeeded(control: Control, { kind }: Entry): boolean {
  if (kind.startsWith("core.")) return false;
  return control.turn !== null || tasksOf(control).some((task) => task.kind === CALL);
}

/** Forgets who else these actors are and what they said, in at most {@link MAX_REDACTED} inputs that ended. Gives how many. */
export function redactSaid(storage: StoragePort, actors: readonly string[]): number {
  return redactInputs(storage, actors, MAX_REDACTED);
}

function filesIn({ message }: Entry): readonly FileRef[] {
  if (message?.role !== "user" && message?.role !== "tool") return [];
  return message.content.flatMap((part) => (part.type === "file" ? [part.file] : []));
}
