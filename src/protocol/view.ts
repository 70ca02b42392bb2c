import type { Json } from "../lib/json.ts";
import type { Message, Usage } from "./message.ts";
import type { Voice } from "./room.ts";

/**
 * What a client sees of a conversation. A pure function of the committed state: a snapshot carries it whole, a commit
 * frame carries the operations that turn the previous one into the next.
 */
export interface View {
  /** The newest stretch of the active transcript, oldest first. Bounded; older entries are paged with `more`. */
  readonly entries: readonly ViewEntry[];
  /** True when the active transcript or older history holds entries before `entries[0]`. */
  readonly earlier: boolean;
  /** Inputs that wait for the running turn, in admission order. */
  readonly inbox: readonly QueuedInput[];
  readonly turn: TurnView | null;
  /** The summary that is being made of older messages. */
  readonly compaction: CompactionView | null;
  /** Live tasks outside of the turn, by id. */
  readonly tasks: { readonly [taskId: string]: TaskView };
  /** Ids of entries that every request carries, whatever was summarised. */
  readonly pins: readonly number[];
  /** Every configuration key of the task kinds, defaults applied. */
  readonly config: { readonly [key: string]: Json };
  readonly usage: Usage;
  /**
   * What each namespace chose to show, by namespace name. `holds` is a `HoldsView`, `questions` a `QuestionsView`, `chat` a {@link ChatView}, `policy` a
   * {@link PolicyView}, `room` a `RoomView`.
   */
  readonly plugins: { readonly [namespace: string]: Json };
}

/**
 * One transcript entry as shown. `kind` is `core.user`, `core.assistant`, `core.tool_result`, `core.system`,
 * `core.notice`, … or a plugin's own. Assistant messages come without their native blocks; a long tool output comes
 * cut, with `cut` naming the full length in UTF-16 units (the whole is at `GET …/entries/<id>`).
 */
export interface ViewEntry {
  readonly id: number;
  readonly kind: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly task?: number;
  readonly message?: Message;
  readonly data?: Json;
  readonly cut?: number;
  /** Copied from the conversation that this one was forked from: what it tells of was done there. */
  readonly inherited?: true;
  /** What stood here was erased: its message is a neutral line, or empty. `by` is an opaque actor. */
  readonly redacted?: { readonly at: number; readonly by: string };
}

/** `data` of a `core.summary` entry. Its message is what models see instead of the entries up to `through`. */
export interface SummaryData {
  readonly reason: CompactionReason;
  /** The last entry that the summary stands for. */
  readonly through: number;
  /** Estimated tokens of what was summarised, and of the summary. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly model: string;
  readonly usage: Usage;
}

/** `data` of a `core.rewind` entry: the conversation went back to entry `to` (0: to its start). */
export interface RewindData {
  readonly to: number;
  /** First and last entry that were left behind; they stay readable. */
  readonly left: readonly [number, number];
  readonly by: string;
}

/** `data` of a `core.fork` entry, the last one that a fork copied: where it came from. */
export interface ForkData {
  /** Channel key of the conversation that it was forked from. */
  readonly from: string;
  readonly at: number;
}

/** `data` of a `core.reset` entry: models see nothing from before it. */
export interface ResetData {
  readonly by: string;
}

/** `data` of a `core.user` or `core.notice` entry. */
export interface UserEntryData {
  /** The request key of the input, `<principal>:<client id>` or `system:<origin>:<id>`. */
  readonly input: string;
  /** Who said it, an opaque actor. */
  readonly actor: string;
  /** Where several people speak: who said it, as of then. */
  readonly voice?: Voice;
  /** Set when it was never answered and no model reads it: the conversation was restored while it waited. */
  readonly display?: { readonly reason: "restored" };
}

/** `data` of a `core.assistant` entry. */
export interface AssistantEntryData {
  readonly model: string;
  readonly usage: Usage;
  /** Time from request to answer, in milliseconds. */
  readonly ms: number;
  /** Set when this entry is shown only: the model never sees it. */
  readonly display?: {
    /** `skipped`: nobody waited for the turn, and it did not begin. */
    readonly reason: "failed" | "stopped" | "skipped";
    readonly error?: string;
    /** What the person may do about it, when there is something. */
    readonly choices?: readonly TurnChoice[];
  };
}

/** `compact`: try to summarise again. `reset`: start afresh here. `model`: choose one with a larger window. */
export type TurnChoice = "compact" | "reset" | "model";

/** `data` of a `core.tool_result` entry. */
export interface ToolResultData {
  /** The assistant entry that holds the call, and the call's index among its calls. */
  readonly entry: number;
  readonly index: number;
  readonly outcome: ToolOutcome;
  /** Short reason code of an error: `invalid_arguments`, `missing_tool`, `declined`, `expired`, `pending`, … */
  readonly code?: string;
  /** Milliseconds from start to result; absent when the tool never started. */
  readonly ms?: number;
  /** Who approved or declined, when somebody had to. */
  readonly decidedBy?: string;
}

/** `unknown`: a crash hid whether the effect happened. `pending`: it waits for a person outside the turn. */
export type ToolOutcome = "ok" | "error" | "blocked" | "stopped" | "unknown" | "pending";

export interface QueuedInput {
  readonly input: string;
  readonly actor: string;
  /** Where several people speak: what the person was called then. */
  readonly name?: string;
  /**
   * `write`: placed at the next safe point, asks for no answer (a reset, a note of a plugin). `alone`: gets a turn of its
   * own, which nothing joins.
   */
  readonly mode: "queue" | "steer" | "alone" | "write";
  readonly text: string;
  readonly files: number;
  readonly at: number;
}

export interface TurnView {
  /** Id of the generation task. */
  readonly task: number;
  readonly actor: string;
  readonly inputs: readonly string[];
  readonly stage: "preparing" | "compacting" | "requesting" | "retrying" | "tools" | "waiting";
  /** Model step, from 1; attempt of that step, from 1. */
  readonly step: number;
  readonly attempt: number;
  readonly model: string | null;
  readonly startedAt: number;
  readonly stopping: boolean;
  /** Set in stage `retrying`. */
  readonly retry?: { readonly until: number; readonly error: string };
  readonly tools: readonly ToolView[];
}

export interface ToolView {
  readonly task: number;
  /** The assistant entry that holds the call, and the call's index among its calls. */
  readonly entry: number;
  readonly index: number;
  readonly name: string;
  readonly status: "pending" | "waiting" | "running" | "done";
  /** Namespace of whoever made it wait, in status `waiting`. */
  readonly waitingOn?: string;
  readonly startedAt?: number;
  readonly outcome?: ToolOutcome;
  readonly progress?: string;
}

export interface TaskView {
  readonly kind: string;
  /** What its kind describes; the phase where it describes nothing. */
  readonly status: Json;
  /** The code of its kind is missing: it goes on when that is back. */
  readonly blocked?: true;
  readonly stopping?: true;
}

/** `threshold`: the window fills up. `overflow`: the vendor refused. `manual`: somebody asked. */
export type CompactionReason = "threshold" | "overflow" | "manual";

export interface CompactionView {
  readonly task: number;
  readonly reason: CompactionReason;
  readonly stage: "preparing" | "summarizing" | "retrying" | "placing";
  readonly attempt: number;
  /** A long history is summarised part by part, from 1. */
  readonly part: number;
  readonly parts: number;
  readonly stopping: boolean;
}

/** Projection of the namespace `chat`. */
export interface ChatView {
  readonly title: string;
  readonly model: string;
  readonly thinking: ThinkingLevel;
  /** Kind of the persona that answers. */
  readonly persona: string;
  /** Every tool of the deployment, and whether it is switched on here. */
  readonly tools: readonly { readonly name: string; readonly on: boolean }[];
}

export type ThinkingLevel = "off" | "low" | "medium" | "high";

/** Projection of the namespace `policy`: what people decided here about calls to come. */
export interface PolicyView {
  readonly constraints: readonly ConstraintView[];
  readonly allow: readonly AllowRuleView[];
}

/** Calls that somebody approved in advance, as shown: names, values and words escaped. */
export interface AllowRuleView {
  /** ULID of the hold whose approval it was saved with. */
  readonly id: string;
  readonly tool: string;
  /** Every argument that such a call has. `value` null: whatever it is. */
  readonly args: readonly { readonly name: string; readonly value: string | null }[];
  readonly target: string | null;
  /** Whose calls. */
  readonly speaker: string;
  readonly by: string;
  readonly at: number;
  readonly expiresAt: number;
  readonly uses: number;
  readonly lastUsedAt: number | null;
}

/** A standing constraint as shown: names and words escaped. */
export interface ConstraintView {
  /** The UUID under which it was set. */
  readonly id: string;
  readonly tools: readonly string[];
  /** `ask`: every call waits for a person. `never`: none runs. */
  readonly effect: "ask" | "never";
  readonly text: string;
  readonly by: string;
  readonly at: number;
}
