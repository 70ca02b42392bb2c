import { NO_USAGE, type Usage } from "../../protocol/message.ts";
import type { Tx } from "../commit/tx.ts";
import { oweAttempt, type Spent } from "../meter/attempt.ts";
import { requestTokens } from "../meter/size.ts";
import type { Services } from "../run/services.ts";
import type { Task } from "../state/task.ts";
import { checkpointOf } from "./generation-checkpoint.ts";
import { partialText } from "./partial-text.ts";

/** Names a request of a turn to the meter. */
export function attemptKey(task: number, requests: number): string {
  return `${task}/${requests}`;
}

/** What a request that broke off came to, as far as can be told. */
export function interrupted(services: Services, task: Task): Spent {
  const { pinned } = checkpointOf(task);
  const streamed = services.live.textOf(task.id, "thinking") + partialText(services, task);
  const input = () => (pinned ? requestTokens(services, pinned.cutoff, pinned.volatile) : 0);
  return { kind: "interrupted", input, streamed };
}

/** What a request came to whose vendor counted this; nothing counted: it broke off. */
export function spentOf(services: Services, task: Task, usage: Usage): Spent {
  return usage === NO_USAGE ? interrupted(services, task) : { kind: "counted", usage };
}

/** Notes in its own commit what the generation's request under way came to. When none is, nothing. */
export function oweRequest(services: Services, tx: Tx, task: Task, spent: Spent): void {
  const checkpoint = checkpointOf(task);
  const { turn } = tx.control;
  if (checkpoint.phase !== "requesting" || !turn) return;
  const attempt = {
    key: attemptKey(task.id, checkpoint.requests),
    actor: turn.actor,
    model: checkpoint.pinned.model,
  };
  oweAttempt(services, tx, attempt, spent);
}

/** The generation ends without another request: what may have been reserved for one is free again. */
export function releaseNext({ till }: Services, tx: Tx, task: Task): void {
  const { phase, requests } = checkpointOf(task);
  const { turn } = tx.control;
  if (!till || phase === "requesting" || !turn) return;
  till.owe(tx, { key: attemptKey(task.id, requests + 1), actor: turn.actor, micros: 0 });
}
