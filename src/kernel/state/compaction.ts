import type { CompactionReason } from "../../protocol/view.ts";

/**
 * The compaction task's program counter. `prepare` chooses what to summarise; `summarizing` is in flight: only recovery
 * enters it; `placing` has the whole summary and waits for a safe point. Text made so far is in the task's slot.
 */
export type CompactionCheckpoint = {
  readonly reason: CompactionReason;
  readonly attempt: number;
  readonly part: number;
  readonly parts: number;
} & (
  | { readonly phase: "prepare" }
  | { readonly phase: "summarizing"; readonly through: number }
  | { readonly phase: "placing"; readonly through: number }
);
