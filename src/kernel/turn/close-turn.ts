import { type AssistantMessage, addUsage, type Usage } from "../../protocol/message.ts";
import type { TurnChoice } from "../../protocol/view.ts";
import type { Tx } from "../commit/tx.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import { ASSISTANT } from "../state/kinds.ts";
import type { Task } from "../state/task.ts";
import { readSlot } from "../storage/slots.ts";
import { endTurn } from "./end.ts";
import { checkpointOf, sentWith } from "./generation-checkpoint.ts";

/** How a turn ends without an answer. */
export interface Closing {
  readonly reason: "failed" | "stopped";
  readonly partial: string;
  readonly error?: string;
  readonly choices?: readonly TurnChoice[];
  readonly usage: Usage;
}

/** Ends the turn without an answer; what was streamed stays as an entry that is shown and never sent. */
export function closeUnanswered(services: Services, tx: Tx, task: Task, closing: Closing): void {
  const { reason, partial, error, choices, usage } = closing;
  const { pinned } = checkpointOf(task);
  const display = { reason, ...(error !== undefined && { error }), ...(choices && { choices }) };
  const ms = pinned ? tx.now - pinned.since : 0;
  const data = { model: pinned?.model ?? "", usage: { ...usage }, ms, display };
  const message: AssistantMessage = { role: "assistant", content: [{ type: "text", text: partial }], stop: "end" };
  tx.append({ kind: ASSISTANT, message, data, task: task.id, ...(pinned && { request: sentWith(pinned) }) });
  tx.control.usage = addUsage(tx.control.usage, usage);
  tx.finish(task.id, reason === "stopped" ? "aborted" : "failed");
  endTurn(tx, { kind: reason }, services.registry.snapshot());
}

/** What is kept of a request's text while it streams. */
export interface SavedText {
  /** The turn's count of requests. */
  readonly request: number;
  readonly text: string;
}

/** What the last request has streamed so far, or as much of it as was saved before a crash. */
export function partialText(services: Services, task: Task): string {
  const streamed = services.live.textOf(task.id, "text");
  if (streamed !== "") return streamed;
  const { phase, pinned, requests } = checkpointOf(task);
  // Once answered, the text is an entry; what was saved of it must not come again.
  if (phase === "tools" || pinned === null) return "";
  const saved = readSlot(services.ports.storage, task.id) as SavedText | undefined;
  return saved?.request === requests ? saved.text : "";
}

/** Fails the turn with a sentence for the person, and what they may do about it. */
export function failTurn(
  services: Services,
  run: Run,
  error: string,
  usage: Usage,
  choices?: readonly TurnChoice[],
): void {
  const partial = partialText(services, run.task());
  const closing = { reason: "failed", partial, error, usage, ...(choices && { choices }) } as const;
  run.commit((tx) => closeUnanswered(services, tx, tx.task(run.id), closing));
  services.live.drop(run.id);
}
