import type { Json } from "../../lib/json.ts";
import type { CompactionReason } from "../../protocol/view.ts";
import { MAX_SUMMARY_BYTES, MIN_SUMMARISED_TOKENS } from "../limits.ts";
import type { HostRead } from "../registry/host-tx.ts";
import type { SummaryModel } from "../state/compaction.ts";
import { CORE_CONFIG } from "../state/core-config.ts";
import type { CutSize } from "./cut.ts";
import { BYTES_PER_TOKEN } from "./estimate.ts";
import { PROMPT_TOKENS } from "./prompt.ts";

/** How compaction is configured. A value that makes no sense counts as the default. */
export interface CompactionConfig {
  readonly auto: boolean;
  /** Between 0 and 1. */
  readonly compactAt: number;
  readonly keepRecentTokens: number;
}

export function readConfig(read: HostRead): CompactionConfig {
  return {
    auto: read.config("autoCompact") !== false,
    compactAt: numberIn(read.config("compactAt"), 0.01, 1, CORE_CONFIG.compactAt),
    keepRecentTokens: numberIn(
      read.config("keepRecentTokens"),
      0,
      Number.MAX_SAFE_INTEGER,
      CORE_CONFIG.keepRecentTokens,
    ),
  };
}

function numberIn(value: Json | undefined, min: number, max: number, otherwise: number): number {
  return typeof value === "number" && value >= min && value <= max ? value : otherwise;
}

/** A threshold's cut takes at least this part of what it leaves: else every step would summarise a little. */
const MIN_PART_OF_KEPT = 4;
/** What it leaves is at most this part of what fits before the threshold. */
const MAX_PART_OF_WINDOW = 3;

/**
 * The size of a cut.
 * @param window tokens of the model's window, as far as known.
 * @param all estimated tokens of the active transcript. @param own those of what the running turn has to answer.
 */
export function cutSize(
  reason: CompactionReason,
  config: CompactionConfig,
  window: number | undefined,
  { all, own }: { readonly all: number; readonly own: number },
): CutSize {
  const room = window === undefined ? Number.POSITIVE_INFINITY : (window * config.compactAt) / MAX_PART_OF_WINDOW;
  const recent = Math.min(config.keepRecentTokens, room);
  switch (reason) {
    case "threshold": {
      const minTokens = Math.max(MIN_SUMMARISED_TOKENS, recent / MIN_PART_OF_KEPT);
      return { keepTokens: recent, inputTokens: Number.POSITIVE_INFINITY, minTokens };
    }
    case "overflow": {
      const inputTokens = (window ?? all) / 2;
      return { keepTokens: Math.min(recent, (all - own) / 2), inputTokens, minTokens: MIN_SUMMARISED_TOKENS };
    }
    case "manual": {
      const keepTokens = Math.min(recent, (all - own) / 2);
      return { keepTokens, inputTokens: Number.POSITIVE_INFINITY, minTokens: MIN_SUMMARISED_TOKENS };
    }
  }
}

/** The window that is counted with where nobody knows it. */
const UNKNOWN_WINDOW = 32_000;
/** Parts of the window: for the answer, for the summary so far, and what an estimate may be wrong by. */
const ANSWER_PART = 1 / 4;
const SLACK = 1 / 10;

/** What the requests of a compaction may hold, so that instructions, summary so far, part and answer fit the window together. */
export function summaryModel(model: string, window: number | undefined): SummaryModel {
  const tokens = window ?? UNKNOWN_WINDOW;
  const maxOutputTokens = Math.max(1, Math.min(MAX_SUMMARY_BYTES / BYTES_PER_TOKEN, Math.floor(tokens * ANSWER_PART)));
  const partTokens = Math.floor(tokens * (1 - SLACK)) - 2 * maxOutputTokens - PROMPT_TOKENS;
  return {
    model,
    summaryBytes: maxOutputTokens * BYTES_PER_TOKEN,
    partBytes: Math.max(MIN_PART_BYTES, partTokens * BYTES_PER_TOKEN),
    maxOutputTokens,
  };
}

/** A part is never smaller: a model whose window holds less than this cannot summarise. */
export const MIN_PART_BYTES = 400;
