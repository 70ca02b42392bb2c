import { must } from "../../lib/assert.ts";
import { addUsage, NO_USAGE } from "../../protocol/message.ts";
import type { Tx } from "../commit/tx.ts";
import { composeRequest } from "../context/sent-request.ts";
import { MAX_ATTEMPTS, MAX_STEPS, MAX_WORK_MS } from "../limits.ts";
import { spentOnError } from "../meter/attempt.ts";
import type { ModelError } from "../ports/model.ts";
import type { StepContext } from "../registry/hooks.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { Run, TaskKind } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import type { GenerationCheckpoint, PinnedRequest } from "../state/checkpoints.ts";
import type { Turn } from "../state/control.ts";
import { GENERATION } from "../state/kinds.ts";
import type { Task } from "../state/task.ts";
import { workedMs } from "../state/work-time.ts";
import { commitAnswer } from "./answer.ts";
import { interrupted, oweRequest } from "./attempt-cost.ts";
import { closeStep } from "./close-step.ts";
import { closeUnanswered, failTurn } from "./close-turn.ts";
import { ALL_CHOICES, compactAfterOverflow, overflowFailure } from "./compact-step.ts";
import { checkpointOf, storedCheckpoint } from "./generation-checkpoint.ts";
import { partialText } from "./partial-text.ts";
import { commitStep } from "./prepare-step.ts";
import { askToGoOn, editMessages, observeResponse } from "./request-hooks.ts";
import { decideRetry } from "./retry.ts";
import { type StreamEnd, streamAnswer } from "./stream-answer.ts";

/**
 * The model loop of a turn: prepare → requesting → (tools → requesting …) → end. It owns its tool tasks: while they run it
 * waits, and `tools` begins when all of them have a result.
 */
export function generationKind(services: Services): TaskKind {
  return {
    kind: GENERATION,
    phases: {
      prepare: (run) => requestStep(services, run),
      requesting: (run) => recoverRequest(services, run),
      tools: (run) => requestStep(services, run),
    },
    inFlight: ["requesting"],
    async abort(run) {
      const partial = partialText(services, run.task());
      const usage = services.lateUsage.get(run.id) ?? NO_USAGE;
      run.commit((tx) => closeUnanswered(services, tx, run.task(), { reason: "stopped", partial, usage }));
      services.lateUsage.delete(run.id);
      services.live.drop(run.id);
    },
    fault(tx, task, reason) {
      fail(services, tx, task, `The server failed while it worked on this turn: ${reason}`);
    },
    restored(tx, task) {
      fail(services, tx, task, "This conversation was restored from a backup that was made while this turn ran.");
    },
  };
}

function fail(services: Services, tx: Tx, task: Task, error: string): void {
  const partial = partialText(services, task);
  closeUnanswered(services, tx, task, { reason: "failed", partial, error, usage: NO_USAGE });
}

async function requestStep(services: Services, run: Run): Promise<void> {
  const before = checkpointOf(run.task());
  const turn = must(services.store.control.turn, "a generation without a turn");
  const registry = services.registry.snapshot();
  const { actor } = turn;
  // Handlers get it: what they do to it must not reach what is committed.
  const meta = structuredClone(turn.meta);
  if (before.phase === "tools") {
    const done: StepContext = { actor, meta, step: before.step, signal: run.signal };
    if (await closeStep(services, run, registry, done)) return;
  }
  const unfit = overflowFailure(services, before, turn);
  if (unfit !== undefined) return failTurn(services, run, unfit, NO_USAGE, { choices: ALL_CHOICES });
  const limit = limitReached(before, turn, services.ports.clock.now());
  if (limit) return failTurn(services, run, limit, NO_USAGE);
  const next = await commitStep(services, run, registry, turn);
  if (!next) return;
  const { requests, pinned, step } = next;
  const context: StepContext = { actor, meta, step, signal: run.signal };
  const sentAt = services.ports.clock.now();
  const end = await sendRequest(services, run, { registry, requests, pinned, turn }, context);
  const ms = services.ports.clock.now() - sentAt;
  await act(services, run, end, { registry, pinned, ms }, context);
}

interface Sending {
  readonly registry: RegistrySnapshot;
  readonly requests: number;
  readonly pinned: PinnedRequest;
  readonly turn: Turn;
}

async function sendRequest(
  services: Services,
  run: Run,
  { registry, requests, pinned, turn }: Sending,
  context: StepContext,
): Promise<StreamEnd> {
  const entries = services.active.upTo(pinned.cutoff);
  const composed = composeRequest(services.ports.storage, entries, pinned);
  const request = await editMessages(services, registry, composed, context);
  const now = services.ports.clock.now();
  const deadline = now + Math.max(0, MAX_WORK_MS - workedMs(turn, now));
  const end = await streamAnswer(services, run, requests, request, deadline);
  if (end.type !== "time_limit") {
    const response = end.type === "end" ? { message: end.message, usage: end.usage } : { error: end.error };
    await observeResponse(services, registry, response, context);
  }
  return end;
}

/** Commits what follows from how the request ended. */
async function act(
  services: Services,
  run: Run,
  end: StreamEnd,
  sent: { readonly registry: RegistrySnapshot; readonly pinned: PinnedRequest; readonly ms: number },
  context: StepContext,
): Promise<void> {
  const { registry, pinned, ms } = sent;
  switch (end.type) {
    case "end": {
      const { message, usage } = end;
      const isFinal = !message.content.some((part) => part.type === "call");
      const continuation = isFinal ? await askToGoOn(services, registry, message, context) : undefined;
      return commitAnswer(services, run, { message, usage, ms, pinned, continuation });
    }
    case "error":
      if (end.error.kind === "context_overflow") return compactAfterOverflow(services, run, end.error);
      return commitError(services, run, end.error);
    case "time_limit":
      return failTurn(services, run, WORK_LIMIT, end.usage);
  }
}

const WORK_LIMIT = `The turn worked for more than ${MAX_WORK_MS / 60_000} minutes, the limit: say "continue" to go on.`;

function limitReached(checkpoint: GenerationCheckpoint, turn: Turn, now: number): string | undefined {
  const isNewStep = checkpoint.phase === "tools" || checkpoint.pinned === null;
  if (isNewStep && checkpoint.step >= MAX_STEPS) {
    return `The turn took ${MAX_STEPS} model steps, the limit: say "continue" to go on.`;
  }
  return workedMs(turn, now) >= MAX_WORK_MS ? WORK_LIMIT : undefined;
}

/** A crash interrupted the request. It counts as an attempt and is sent again at once, the same request. */
async function recoverRequest(services: Services, run: Run): Promise<void> {
  const { step, attempt, requests, pinned } = checkpointOf(run.task());
  if (attempt >= MAX_ATTEMPTS) {
    return failTurn(services, run, `The request was interrupted ${attempt} times, the limit.`, NO_USAGE);
  }
  run.commit((tx) => {
    const error = "The request was interrupted and is sent again.";
    oweRequest(services, tx, tx.task(run.id), interrupted(services, tx.task(run.id)));
    tx.checkpoint(run.id, storedCheckpoint({ phase: "prepare", step, attempt, requests, pinned, error }));
  });
}

function commitError(services: Services, run: Run, error: ModelError): void {
  const { step, attempt, requests, pinned } = checkpointOf(run.task());
  const verdict = decideRetry(error, attempt);
  const usage = error.usage ?? NO_USAGE;
  const spent = spentOnError(error, interrupted(services, run.task()));
  if (!verdict.retry) return failTurn(services, run, error.message, usage, { spent });
  run.commit((tx) => {
    oweRequest(services, tx, tx.task(run.id), spent);
    tx.control.usage = addUsage(tx.control.usage, usage);
    const { message } = error;
    tx.checkpoint(run.id, storedCheckpoint({ phase: "prepare", step, attempt, requests, pinned, error: message }));
    tx.setStatus(run.id, { status: "sleeping", until: tx.now + verdict.delayMs });
    tx.emit({ type: "generation.retrying", attempt, error: error.kind });
  });
  services.live.drop(run.id);
}
