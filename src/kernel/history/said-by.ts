import type { JsonObject } from "../../lib/json.ts";
import { FORK, HANDOFF, NOTICE, RESET, REWIND, SUMMARY, SYSTEM, USER } from "../state/kinds.ts";
import type { Entry } from "../storage/entries.ts";

/** How far a walk over the transcript has come, in search of somebody's words. Plain JSON. */
export type Walk = {
  /** The last entry that was looked at; 0: none. */
  readonly after: number;
  /** The turn at that place was theirs. */
  readonly theirs: boolean;
  /** Something of theirs stands at or before that place. */
  readonly touched: boolean;
};

export const WALK_START: Walk = { after: 0, theirs: false, touched: false };

/** Kinds that nobody's words stand in. */
const WORDLESS: ReadonlySet<string> = new Set([SYSTEM, RESET, REWIND, FORK]);

/**
 * Whether an entry is made of what these actors said, and where the walk stands after it. Theirs is what they said, and
 * everything of the turns that ran for them: an answer, a call and its result repeat what they are about. A summary or
 * hand-over after any of it may be made of it, and nobody can tell. Nobody joins another one's turn, so the newest
 * message tells whose turn it is. Pure.
 */
export function stepWalk(
  walk: Walk,
  entry: Entry,
  actors: readonly string[],
): { readonly walk: Walk; readonly isTheirs: boolean } {
  const isBy = isAbout(entry, actors);
  const theirs = entry.kind === USER ? isBy : walk.theirs;
  const isTheirs = isOfWalk(entry, { isBy, theirs, touched: walk.touched });
  return { walk: { after: entry.id, theirs, touched: walk.touched || isTheirs }, isTheirs };
}

function isOfWalk(
  { kind }: Entry,
  { isBy, theirs, touched }: { readonly isBy: boolean; readonly theirs: boolean; readonly touched: boolean },
): boolean {
  if (WORDLESS.has(kind)) return false;
  if (kind === SUMMARY) return touched;
  if (kind === HANDOFF) return touched || isBy;
  if (kind === NOTICE) return isBy;
  return theirs || isBy;
}

/** Who said it, or who wrote what a plugin keeps. */
function isAbout({ data }: Entry, actors: readonly string[]): boolean {
  if (data === undefined || data === null || typeof data !== "object" || Array.isArray(data)) return false;
  const { actor, by } = data as JsonObject;
  return [actor, by].some((name) => typeof name === "string" && actors.includes(name));
}
