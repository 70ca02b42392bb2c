import { must } from "../../lib/assert.ts";
import { type AssistantMessage, addUsage, type Usage } from "../../protocol/message.ts";
import type { AssistantEntryData } from "../../protocol/view.ts";
import type { Tx } from "../commit/tx.ts";
import { MAX_CALLS_PER_STEP } from "../limits.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import type { PinnedRequest } from "../state/checkpoints.ts";
import type { TurnTool } from "../state/control.ts";
import { ASSISTANT, TOOL } from "../state/kinds.ts";
import { endTurn } from "./end.ts";
import { checkpointOf, storedCheckpoint } from "./generation-checkpoint.ts";
import { appendResult, textResult } from "./settle-call.ts";

/** A complete answer of the model. */
export interface Answer {
  readonly message: AssistantMessage;
  readonly usage: Usage;
  readonly ms: number;
  readonly pinned: PinnedRequest;
}

/** Stores the answer: with calls the step's tools begin, without them the turn ends, in the same commit. */
export function commitAnswer(services: Services, run: Run, answer: Answer): void {
  const { message, usage, ms, pinned } = answer;
  const calls = message.content.filter((part) => part.type === "call");
  run.commit((tx) => {
    const data: AssistantEntryData = { model: pinned.model, usage, ms };
    const entry = tx.append({ kind: ASSISTANT, message, data: { ...data, usage: { ...usage } }, task: run.id });
    tx.control.usage = addUsage(tx.control.usage, usage);
    if (calls.length > 0) return beginTools(tx, run, entry, calls);
    tx.finish(run.id, "completed");
    endTurn(tx, { kind: "answered", answer: entry }, services.registry.snapshot());
  });
  services.live.drop(run.id);
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
