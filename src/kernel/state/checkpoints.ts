import type { ThinkingLevel } from "../../protocol/view.ts";
import type { Approval } from "../registry/hooks.ts";

/** What a request was made with. Pinned by the commit that precedes it, so a repeat sends the same. */
export interface PinnedRequest {
  readonly model: string;
  /** Tokens of its window; absent: unknown. */
  readonly contextTokens?: number;
  readonly thinking: ThinkingLevel;
  /** Names of the tools that were offered. */
  readonly tools: readonly string[];
  /** The newest entry that the request includes. */
  readonly cutoff: number;
  readonly volatile: string;
  /** When the first attempt of this step was committed. */
  readonly since: number;
}

/**
 * The generation task's program counter. `step` counts model requests of the turn, `attempt` the tries of the step; both
 * from 1 once requesting. `prepare` with a pinned request repeats it. `requesting` is in flight: only recovery enters it.
 */
export type GenerationCheckpoint = {
  readonly step: number;
  readonly attempt: number;
  /** Requests of the whole turn so far: tells streamed text of one request from that of any other. */
  readonly requests: number;
} & (
  | { readonly phase: "prepare"; readonly pinned: PinnedRequest | null; readonly error: string | null }
  | { readonly phase: "requesting"; readonly pinned: PinnedRequest }
  | { readonly phase: "tools"; readonly pinned: PinnedRequest }
);

/** The tool task's program counter. `started` is in flight: only recovery enters it. */
export type ToolCheckpoint =
  | {
      readonly phase: "check";
      /** Set while parked: the result the model gets when the turn goes on without the call. */
      readonly pendingText: string | null;
    }
  | {
      readonly phase: "started";
      readonly startedAt: number;
      readonly replays: number;
      readonly approval: Approval | null;
    }
  /** Waits for a task; has a result when that is finished. */
  | {
      readonly phase: "joining";
      readonly startedAt: number;
      readonly on: number;
      readonly approval: Approval | null;
    };
