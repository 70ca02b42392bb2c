import type { Walk } from "../../kernel/index.ts";
import type { JobState } from "../principal/durable-job.ts";
import type { ErasureOrder, Forgotten } from "./erasure-rpc.ts";

/** A shared conversation in which something has to wait, and whether what is theirs there was counted. */
type Waiting = { readonly key: string; readonly isCounted: boolean };

/**
 * How far the erasure of a person has come. `shut`: they are to be shut out. `private`: their conversations go. `shared`:
 * conversations of several people forget them, in the order of their keys, and those that wait for something by and by.
 * `last`: after a while all of it is looked through once more, and then the receipt is written.
 */
export type ErasureJob = JobState & {
  readonly order: ErasureOrder;
  readonly phase: "shut" | "private" | "shared" | "last";
  /** The second time everything is looked through anew. */
  readonly round: 1 | 2;
  /** Shared conversations up to this key had their turn. */
  readonly after: string;
  /** The one that is at work: how far it has come, and how much was found there. */
  readonly at: { readonly key: string; readonly walk: Walk; readonly entries: number } | null;
  readonly waiting: readonly Waiting[];
  readonly entries: number;
  readonly files: number;
  /** Shared conversations that held something of theirs. */
  readonly rooms: number;
};

/** Shared conversations that may wait before the walk over them pauses. */
export const MAX_WAITING = 200;
/** After how long a conversation is asked again in which something has not ended yet, or has to wait. Milliseconds. */
const BUSY_MS = 1_000;
const AGAIN_MS = 15_000;
/** How long after everything is gone it is looked through once more: whatever was on its way has come by then. Milliseconds. */
export const LAST_LOOK_MS = 11 * 60_000;
/** Whoever ordered it shuts the person out at once; after this long the alarm does, when that died. Milliseconds. */
const SHUT_RETRY_MS = 5_000;

export function beginJob(order: ErasureOrder, now: number): ErasureJob {
  const start = { after: "", at: null, waiting: [], entries: 0, files: 0, rooms: 0 };
  return { order, phase: "shut", round: 1, ...start, failures: 0, due: now + SHUT_RETRY_MS };
}

/** The second look through everything: what is theirs in shared conversations is counted anew, tombstones and all. */
export function lookAgain(job: ErasureJob): ErasureJob {
  return { ...job, phase: "private", round: 2, after: "", at: null, entries: 0, rooms: 0 };
}

/** After one shared conversation answered. Pure. */
export function afterRoom(job: ErasureJob, key: string, answer: Forgotten): ErasureJob {
  const known = job.waiting.find((one) => one.key === key);
  const isCounted = known?.isCounted ?? false;
  const others = job.waiting.filter((one) => one !== known);
  const before = job.at?.entries ?? 0;
  const next = { ...job, at: null, after: known ? job.after : key };
  switch (answer.state) {
    case "gone":
      return { ...next, waiting: others };
    case "busy":
      return { ...next, waiting: [...others, { key, isCounted }] };
    case "more":
      return {
        ...job,
        at: { key, walk: answer.walk, entries: before + answer.entries },
        files: job.files + answer.files,
      };
    case "clean": {
      const entries = isCounted ? 0 : before + answer.entries;
      return {
        ...next,
        waiting: answer.left > 0 ? [...others, { key, isCounted: true }] : others,
        entries: job.entries + entries,
        files: job.files + answer.files,
        rooms: job.rooms + (entries > 0 ? 1 : 0),
      };
    }
  }
}

/** How long to rest after a conversation answered so. */
export function restAfter(answer: Forgotten): number {
  if (answer.state === "busy") return BUSY_MS;
  return answer.state === "clean" && answer.left > 0 ? AGAIN_MS : 0;
}

/** Which shared conversation is next; undefined: none. What waits comes after what had no turn, or when too many wait. */
export function nextRoom({ at, waiting }: ErasureJob, unseen: readonly string[]): string | undefined {
  if (at) return at.key;
  const [key] = waiting.length < MAX_WAITING ? unseen : [];
  return key ?? waiting[0]?.key;
}
