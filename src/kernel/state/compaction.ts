import type { Json } from "../../lib/json.ts";
import type { Usage } from "../../protocol/message.ts";
import type { CompactionReason } from "../../protocol/view.ts";
import { type Control, tasksOf } from "./control.ts";
import { COMPACTION } from "./kinds.ts";
import type { Checkpoint, Task } from "./task.ts";

/** What a summary shall stand for, chosen when its task is created. */
export interface Cut {
  /** The head of the transcript that it was chosen in: once another one stands, the cut is stale. */
  readonly head: number;
  /** Everything active up to this entry is summarised. */
  readonly through: number;
  /** Entries up to there that stay as they are besides: what the running turn has to answer. */
  readonly keep: readonly number[];
  /** Estimated tokens of what the summary replaces. */
  readonly tokens: number;
}

/** Whose settings a compaction runs with. */
export interface CompactionInput {
  readonly reason: CompactionReason;
  readonly actor: string;
  readonly meta: Json;
}

/** What the requests of a compaction are made with, pinned before the first. */
export interface SummaryModel {
  readonly model: string;
  /** Limits of a summary, of a part of the transcript (UTF-8 bytes), and of the answer (tokens). */
  readonly summaryBytes: number;
  readonly partBytes: number;
  readonly maxOutputTokens: number;
}

/** How far the summary is made. `unusable`: answers that could not be used; `complaint` says what was wrong with the last. */
export interface SummaryProgress {
  readonly asked: SummaryModel;
  readonly unusable: number;
  readonly complaint: string | null;
  readonly usage: Usage;
}

/**
 * The compaction task's program counter. `prepare` asks host and handlers; `ready` makes the next request; `summarizing` is
 * in flight: only recovery enters it; `placing` has the whole summary in its slot, asks no model any more and waits for a
 * safe point. `attempt` counts within a part, in `prepare` what the host could not answer.
 */
export type CompactionCheckpoint = {
  readonly reason: CompactionReason;
  readonly attempt: number;
  readonly part: number;
  readonly parts: number;
  readonly cut: Cut;
} & (
  | { readonly phase: "prepare" }
  | ({ readonly phase: "ready" | "summarizing" } & SummaryProgress)
  | { readonly phase: "placing"; readonly model: string; readonly usage: Usage }
);

/** What a compaction has beside its checkpoint. */
export interface CompactionSlot {
  /** The summary of what was read so far. */
  readonly text: string;
  /** UTF-16 units of the written-out transcript that it stands for. */
  readonly read: number;
  /** What a handler told the summarising model. */
  readonly instructions: string;
}

export function compactionOf(task: Task): CompactionCheckpoint {
  return task.checkpoint as unknown as CompactionCheckpoint;
}

export function storedCompaction(checkpoint: CompactionCheckpoint): Checkpoint {
  return checkpoint as unknown as Checkpoint;
}

/** The one compaction that is live. */
export function liveCompaction(control: Control): Task | undefined {
  return tasksOf(control).find((task) => task.kind === COMPACTION);
}
