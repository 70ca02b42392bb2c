import type { Json } from "../../lib/json.ts";
import type { FileRef, Usage } from "../../protocol/message.ts";
import type { ThinkingLevel } from "../../protocol/view.ts";
import type { HostTx } from "../registry/host-tx.ts";

/** Target of the outbox rows that go to owned conversations. Their payload is a {@link ChildMessage}. */
export const CHILD_TARGET = "core.child";

/** What an owned conversation is to do. */
export interface ChildRequest {
  readonly prompt: string;
  /** Names of the tools that it is offered; absent: the host decides. */
  readonly tools?: readonly string[];
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** Stands in for the persona of its system prompt. */
  readonly system?: string;
}

/** What an owned conversation is begun with. Null: not said. */
export type ChildInput = {
  readonly name: string;
  readonly prompt: string;
  readonly tools: readonly string[] | null;
  readonly model: string | null;
  readonly thinking: ThinkingLevel | null;
  readonly system: string | null;
  /** Whom it works for; null: the conversation's own principal. */
  readonly speaker: { readonly actor: string; readonly meta: Json } | null;
};

/** `begin`: create it, unless it is there, and say its message once. `end`: it is needed no more. Both may come again. */
export type ChildMessage =
  | { readonly op: "begin"; readonly task: number; readonly child: ChildInput }
  | { readonly op: "end"; readonly task: number };

/** What became of an owned conversation. `text`: its answer, or why there is none. */
export interface ChildReport {
  readonly outcome: "answered" | "failed" | "stopped";
  readonly text: string;
  readonly files: readonly FileRef[];
  readonly usage: Usage;
}

/** Where an owned conversation is. */
export type ChildProgress = { readonly step: number; readonly doing: string };

/** How an owned conversation stands. */
export type ChildLook =
  | { readonly state: "working" }
  | { readonly state: "unknown" }
  /** `place` runs in the commit that takes the report. */
  | { readonly state: "settled"; readonly report: ChildReport; readonly place?: (tx: HostTx) => void };

/** Asks after owned conversations, by their tasks. */
export interface ChildrenPort {
  /** Repeatable. @throws when it cannot be asked now. */
  look(task: number, signal: AbortSignal): Promise<ChildLook>;
}
