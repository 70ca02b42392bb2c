import { must } from "../../lib/assert.ts";
import { type AssistantMessage, addUsage, type Usage } from "../../protocol/message.ts";
import type { AssistantEntryData } from "../../protocol/view.ts";
import type { Tx } from "../commit/tx.ts";
import { MAX_CALLS_PER_STEP } from "../limits.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import type { PinnedRequest } from "../state/checkpoints.ts";
import type { TurnTool } from "../state/control.ts";
import { ASSISTANT, NOTICE, TOOL } from "../state/kinds.ts";
import { oweRequest } from "./attempt-cost.ts";
import { endTurn } from "./end.ts";
import { checkpointOf, prepareAnew, sentWith, storedCheckpoint } from "./generation-checkpoint.ts";
import type { Continuation } from "./request-hooks.ts";
import { appendResult, textResult } from "./settle-call.ts";
import { hasQueuedHead } from "./writes.ts";

/** A complete answer of the model. */
export interface Answer {
  readonly message: AssistantMessage;
  readonly usage: Usage;
  readonly ms: number;
  readonly pinned: PinnedRequest;
  /** Words of a handler that wants the turn to go on after a final answer. */
  readonly continuation: Continuation | undefined;
}

/**
 * Stores the answer: with calls the step's tools begin; without them the turn ends, in the same commit, or goes on with
 * another step where a handler wants that and nobody else wants anything.
 */
export function commitAnswer(services: Services, run: Run, answer: Answer): void {
  const { message, usage, ms, pinned, continuation } = answer;
  const calls = message.content.filter((part) => part.type === "call");
  run.commit((tx) => {
    const data: AssistantEntryData = { model: pinned.model, usage, ms };
    const request = sentWith(pinned);
    const stored = { kind: ASSISTANT, message, data: { ...data, usage: { ...usage } }, task: run.id, request };
    const entry = tx.append(stored);
    tx.control.usage = addUsage(tx.control.usage, usage);
    oweRequest(services, tx, tx.task(run.id), { kind: "counted", usage });
    if (calls.length > 0) return beginTools(tx, run, entry, calls);
    if (continuation && mayGoOn(tx)) return goOn(tx, run, continuation);
    tx.finish(run.id, "completed");
    endTurn(services, tx, { kind: "answered", answer: entry }, services.registry.snapshot());
  });
  services.live.drop(run.id);
}

/** Whoever said something meanwhile, or wanted a fresh start, comes before a handler. */
function mayGoOn(tx: Tx): boolean {
  const { turn, inbox } = tx.control;
  return !inbox.some((item) => item.mode === "steer" && item.actor === turn?.actor) && !hasQueuedHead(tx);
}

/** The next step of the same turn, for the same inputs, begun by what the handler said. */
function goOn(tx: Tx, run: Run, { text, namespace }: Continuation): void {
  const turn = must(tx.control.turn, "a continuation outside of a turn");
  const data = { input: `system:yield:${namespace}`, actor: turn.actor };
  tx.append({ kind: NOTICE, message: { role: "user", content: [{ type: "text", text }] }, data });
  prepareAnew(tx, run.id, checkpointOf(tx.task(run.id)));
  tx.control.turn = { ...turn, tools: [] };
}

/** Creates the tasks of a step's calls; the generation waits for all of them. */
function beginTools(
  tx: Tx,
  run: Run,
  entry: number,
  calls: readonly { id: string; name: string; args: string }[],
): void {
  const tools: TurnTool[] = [];
  for (const [index, call] of calls.entries()) {
    if (index >= MAX_CALLS_PER_STEP) {
      const text = `Only ${MAX_CALLS_PER_STEP} calls are run at once: make this one again in the next step.`;
      appendResult(tx, { entry, index, ...call }, textResult("error", "too_many_calls", text));
      continue;
    }
    const checkpoint = { phase: "check", pendingText: null };
    const task = tx.createTask({ kind: TOOL, input: { entry, index }, checkpoint });
    tools.push({ task, entry, index, name: call.name });
  }
  const { step, attempt, requests, pinned } = checkpointOf(tx.task(run.id));
  const requested = must(pinned, "calls without a request");
  tx.checkpoint(run.id, storedCheckpoint({ phase: "tools", step, attempt, requests, pinned: requested }));
  tx.setStatus(run.id, { status: "waiting", tasks: tools.map((tool) => tool.task) });
  tx.control.turn = { ...must(tx.control.turn, "calls outside of a turn"), tools };
}
