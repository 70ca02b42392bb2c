import { type AssistantMessage, addUsage, NO_USAGE, type Usage } from "../../protocol/message.ts";
import type { TurnChoice } from "../../protocol/view.ts";
import type { Tx } from "../commit/tx.ts";
import type { Spent } from "../meter/attempt.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import { ASSISTANT } from "../state/kinds.ts";
import type { Task } from "../state/task.ts";
import { oweRequest, releaseNext, spentOf } from "./attempt-cost.ts";
import { endTurn } from "./end.ts";
import { checkpointOf, sentWith } from "./generation-checkpoint.ts";
import { partialText } from "./partial-text.ts";

/** How a turn ends without an answer. */
export interface Closing {
  readonly reason: "failed" | "stopped" | "skipped";
  readonly partial: string;
  readonly error?: string;
  readonly choices?: readonly TurnChoice[];
  readonly usage: Usage;
  /** What the request under way came to, where that is not what was counted. */
  readonly spent?: Spent;
}

/** Ends the turn without an answer; what was streamed stays as an entry that is shown and never sent. */
export function closeUnanswered(services: Services, tx: Tx, task: Task, closing: Closing): void {
  const { reason, partial, error, choices, usage } = closing;
  const { pinned } = checkpointOf(task);
  const display = { reason, ...(error !== undefined && { error }), ...(choices && { choices }) };
  const ms = pinned ? tx.now - pinned.since : 0;
  const data = { model: pinned?.model ?? "", usage: { ...usage }, ms, display };
  const message: AssistantMessage = { role: "assistant", content: [{ type: "text", text: partial }], stop: "end" };
  const entry = tx.append({
    kind: ASSISTANT,
    message,
    data,
    task: task.id,
    ...(pinned && { request: sentWith(pinned) }),
  });
  tx.control.usage = addUsage(tx.control.usage, usage);
  oweRequest(services, tx, task, closing.spent ?? spentOf(services, task, usage));
  releaseNext(services, tx, task);
  tx.finish(task.id, reason === "failed" ? "failed" : "aborted");
  endTurn(services, tx, { kind: reason, entry }, services.registry.snapshot());
}

/** Fails the turn with a sentence for the person, and what they may do about it. */
export function failTurn(
  services: Services,
  run: Run,
  error: string,
  usage: Usage,
  { choices, spent }: Pick<Closing, "choices" | "spent"> = {},
): void {
  const partial = partialText(services, run.task());
  const closing = {
    reason: "failed",
    partial,
    error,
    usage,
    ...(choices && { choices }),
    ...(spent && { spent }),
  } as const;
  run.commit((tx) => closeUnanswered(services, tx, tx.task(run.id), closing));
  services.live.drop(run.id);
}

/** Passes over a turn that has not begun, and says why. The line goes on. */
export function skipTurn(services: Services, run: Run, error: string): void {
  const closing = { reason: "skipped", partial: "", error, usage: NO_USAGE } as const;
  run.commit((tx) => closeUnanswered(services, tx, tx.task(run.id), closing));
}
