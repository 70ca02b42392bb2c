import type { Json, JsonObject } from "../../lib/json.ts";
import type { AssistantMessage, Message, Usage } from "../../protocol/message.ts";
import type { CompactionReason, ToolOutcome } from "../../protocol/view.ts";
import type { ModelError } from "../ports/model.ts";
import type { HostRead, HostTx } from "./host-tx.ts";
import type { Tool, ToolResult } from "./tool.ts";

/** A tool call on its way to its tool, arguments validated. */
export interface PendingCall {
  /** The tool task; stays the same through waking, replay and restarts. */
  readonly task: number;
  /** The assistant entry that holds the call, and the call's index in it. */
  readonly entry: number;
  readonly index: number;
  readonly tool: Tool;
  readonly input: Json;
  /** Who the turn runs for. */
  readonly actor: string;
  readonly meta: Json;
  /** The call left its turn: its result will be an input of origin system. */
  readonly detached: boolean;
  /** Aborts on stop. */
  readonly signal: AbortSignal;
}

/** What a `beforeTool` handler may do of its own: in the name of its namespace, beside the call. */
export interface BeforeToolApi {
  /** First writer wins: stores `candidate` unless a value stands under that name, and returns the winner. Gone with the call. */
  memo(name: string, candidate: Json): Json;
  /** The value under a name; undefined when none was stored. */
  recall(name: string): Json | undefined;
  /** Announces `plugin.<namespace>.<name>`. */
  emit(name: string, facts: JsonObject): void;
  /** What is committed now. */
  readonly read: HostRead;
  now(): number;
}

/** Thrown by `onStarted`: the call must not start after all. Nothing of the started commit stands; `message` is told to the model. */
export class CallRefused extends Error {
  override readonly name = "CallRefused";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Who let a call run. `note` is told to the model before the result. `person` and `prompt` are for the tool: who it was, and
 * what they answered; opaque here.
 */
export type Approval = {
  readonly by: string;
  readonly note: string;
  readonly person?: string;
  readonly prompt?: string;
};

/** What a `beforeTool` handler decides. */
export type BeforeTool =
  /** Go on with the next handler; with `input`, the arguments are replaced and validated again. */
  | { readonly kind: "pass"; readonly input?: Json }
  /**
   * Go on; `onStarted` runs inside the commit that starts the call and may throw {@link CallRefused}. With `input`, the
   * arguments are replaced and validated again.
   */
  | {
      readonly kind: "allow";
      readonly input?: Json;
      readonly approval?: Approval;
      readonly onStarted: (tx: HostTx) => void;
    }
  /** The call does not run; `text` is told to the model. */
  | { readonly kind: "block"; readonly code: string; readonly text: string; readonly decidedBy?: string }
  /**
   * The call waits for somebody, without memory. `onParked` runs inside the commit that parks it: it writes down what is
   * waited for, answers `again` when that was decided meanwhile (the handlers run once more), or throws
   * {@link CallRefused} when it cannot be waited for. `pendingText` is the
   * result the model gets when the turn goes on without the call; `leaves`: it does so now.
   */
  | {
      readonly kind: "park";
      readonly deadline: number | null;
      readonly pendingText: string;
      readonly leaves?: boolean;
      readonly onParked?: (tx: HostTx, task: number) => "again" | undefined;
    };

/** Whom a step runs for, and which one it is. */
export interface StepContext {
  readonly actor: string;
  readonly meta: Json;
  /** Model step of the turn, from 1. */
  readonly step: number;
  /** Aborts on stop. */
  readonly signal: AbortSignal;
}

/** A part of the system prompt while handlers edit it. */
export interface PromptPart {
  readonly name: string;
  readonly text: string;
}

/** The system prompt in the making. Handlers change its lists; a handler that throws changes nothing. */
export interface PromptDraft {
  stable: PromptPart[];
  volatile: PromptPart[];
}

/** What a model request came to. */
export type Response = { readonly message: AssistantMessage; readonly usage: Usage } | { readonly error: ModelError };

/** A finished call of a step. */
export interface FinishedCall {
  readonly task: number;
  readonly name: string;
  readonly outcome: ToolOutcome;
}

/** A turn that is over. */
export interface EndedTurn {
  /** Its generation task. */
  readonly task: number;
  readonly actor: string;
  readonly outcome: "answered" | "failed" | "stopped" | "skipped" | "reset";
  /** The entry that holds its answer, or tells why there is none. Null: there is no such entry. */
  readonly entry: number | null;
  /** The first entry of it. */
  readonly from: number;
}

/** What is about to be summarised: entries up to `through`. */
export interface PendingCompaction {
  readonly task: number;
  readonly reason: CompactionReason;
  readonly through: number;
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
}

/** What a `beforeCompaction` handler decides; the first that decides anything wins. */
export type BeforeCompaction =
  | { readonly kind: "decline"; readonly reason: string }
  /** Told to the summarising model in addition. */
  | { readonly kind: "instructions"; readonly text: string }
  /** The summary itself: no model is asked. */
  | { readonly kind: "summary"; readonly text: string };

/**
 * A namespace's handlers, run in order of registration. The asynchronous ones may take seconds, may run again after a
 * crash and hold no right to write but through handles of their own. A throw blocks a call in `beforeTool`; anywhere else
 * it is reported and the chain goes on as if that handler were not there. The last five run inside the kernel's commit:
 * synchronous, and what a throwing one wrote is undone.
 */
export interface Hooks {
  /** Edits the prompt of each step, in order. */
  systemInstructions?(draft: PromptDraft, step: StepContext): Promise<void> | void;
  /** Replaces the messages of a request, of each attempt. The result is never stored; one that no vendor takes is not used. */
  beforeRequest?(messages: readonly Message[], step: StepContext): Promise<readonly Message[] | undefined>;
  /** Sees what each request came to, before it is acted upon. */
  afterResponse?(response: Response, step: StepContext): Promise<void>;
  /** After a final answer: words that make the turn go on for the same inputs. The first that gives any wins. */
  onYield?(answer: AssistantMessage, step: StepContext): Promise<string | undefined>;
  beforeTool?(call: PendingCall, api: BeforeToolApi): Promise<BeforeTool>;
  /** Replaces a call's result before it is stored. */
  afterTool?(call: PendingCall, result: ToolResult): Promise<ToolResult | undefined>;
  /** Sees that every call of a step has its result. */
  afterTools?(calls: readonly FinishedCall[], step: StepContext): Promise<void>;
  beforeCompaction?(pending: PendingCompaction): Promise<BeforeCompaction | undefined>;
  /** Replaces what the model is told of a stopped call; it stays stopped. */
  onAbort?(call: Omit<PendingCall, "input">, text: string): Promise<string | undefined>;
  /** A call begins to wait for somebody, whoever parked it. */
  parked?(tx: HostTx, call: { readonly task: number }): void;
  /** A parked call left its turn and lives on as another task. */
  detached?(tx: HostTx, change: { readonly from: number; readonly to: number }): void;
  /** A call got its result or was stopped. */
  settled?(tx: HostTx, call: { readonly task: number; readonly outcome: ToolOutcome; readonly code?: string }): void;
  /** The turn that these calls belonged to is over. */
  turnEnded?(tx: HostTx, turn: EndedTurn): void;
  /** The storage is a backup's, and what was under way in it has just been ended: what it promised may have been done since. */
  restored?(tx: HostTx): void;
}
