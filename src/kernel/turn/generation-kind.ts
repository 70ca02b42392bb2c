import { must } from "../../lib/assert.ts";
import { addUsage, NO_USAGE } from "../../protocol/message.ts";
import { MAX_ATTEMPTS, MAX_STEPS, MAX_WORK_MS } from "../limits.ts";
import type { ModelError } from "../ports/model.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { Run, TaskKind } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import type { GenerationCheckpoint, PinnedRequest } from "../state/checkpoints.ts";
import type { Turn } from "../state/control.ts";
import { GENERATION } from "../state/kinds.ts";
import { workedMs } from "../state/work-time.ts";
import { commitAnswer } from "./answer.ts";
import { closeUnanswered, failTurn, partialText } from "./close-turn.ts";
import { checkpointOf, storedCheckpoint } from "./generation-checkpoint.ts";
import { buildRequest, commitNewRequest, commitRequesting, planRequest, type RequestPlan } from "./request.ts";
import { decideRetry } from "./retry.ts";
import { streamAnswer } from "./stream-answer.ts";

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
      run.commit((tx) => closeUnanswered(services, tx, run.task(), { reason: "stopped", partial, usage: NO_USAGE }));
      services.live.drop(run.id);
    },
    fault(tx, task, reason) {
      const error = `The server failed while it worked on this turn: ${reason}`;
      const partial = partialText(services, task);
      closeUnanswered(services, tx, task, { reason: "failed", partial, error, usage: NO_USAGE });
    },
  };
}

async function requestStep(services: Services, run: Run): Promise<void> {
  const before = checkpointOf(run.task());
  const turn = must(services.store.control.turn, "a generation without a turn");
  const limit = limitReached(before, turn, services.ports.clock.now());
  if (limit) return failTurn(services, run, limit, NO_USAGE);
  const registry = services.registry.snapshot();
  const next = await commitStep(services, run, registry, turn);
  if (!next) return;
  const { requests, pinned } = next;
  const sentAt = services.ports.clock.now();
  const deadline = sentAt + Math.max(0, MAX_WORK_MS - workedMs(turn, sentAt));
  const request = buildRequest(services, registry, pinned);
  const end = await streamAnswer(services, run, requests, request, deadline);
  const ms = services.ports.clock.now() - sentAt;
  switch (end.type) {
    case "end":
      return commitAnswer(services, run, { message: end.message, usage: end.usage, ms, pinned });
    case "error":
      return commitError(services, run, end.error);
    case "time_limit":
      return failTurn(services, run, WORK_LIMIT, end.usage);
  }
}

/** Commits what the next request is. Undefined when there can be none: the turn failed, or sleeps. */
async function commitStep(
  services: Services,
  run: Run,
  registry: RegistrySnapshot,
  turn: Turn,
): Promise<{ readonly requests: number; readonly pinned: PinnedRequest } | undefined> {
  const before = checkpointOf(run.task());
  if (before.phase === "prepare" && before.pinned) {
    const { step, pinned } = before;
    const attempt = before.attempt + 1;
    const requests = before.requests + 1;
    run.commit((tx) => commitRequesting(tx, run.id, { phase: "requesting", step, attempt, requests, pinned }));
    return { requests, pinned };
  }
  let plan: RequestPlan;
  try {
    plan = await planRequest(services, registry, turn, run.signal);
  } catch (error) {
    run.signal.throwIfAborted();
    sleepOnHost(services, run, error);
    return undefined;
  }
  const { model, refusal } = plan;
  if (refusal !== undefined || model === null) {
    failTurn(services, run, refusal ?? NO_MODEL, NO_USAGE);
    return undefined;
  }
  const pinned = run.commit((tx) => commitNewRequest(tx, run.id, before, { ...plan, model }));
  return { requests: before.requests + 1, pinned };
}

/** The host cannot say now what the step may run with: sleep and ask again, within the attempts of a step. */
function sleepOnHost(services: Services, run: Run, cause: unknown): void {
  const before = checkpointOf(run.task());
  const attempt = before.phase === "prepare" ? before.attempt + 1 : 1;
  const message = `The settings of this turn cannot be read now: ${cause instanceof Error ? cause.message : String(cause)}`;
  const verdict = decideRetry({ kind: "server", message, retryable: true }, attempt);
  if (!verdict.retry) return failTurn(services, run, message, NO_USAGE);
  run.commit((tx) => {
    const { step, requests } = before;
    tx.checkpoint(run.id, { phase: "prepare", step, attempt, requests, pinned: null, error: message });
    tx.setStatus(run.id, { status: "sleeping", until: tx.now + verdict.delayMs });
  });
}

const NO_MODEL = "No model is configured: set a key or choose a model in althing.config.ts.";

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
    tx.checkpoint(run.id, storedCheckpoint({ phase: "prepare", step, attempt, requests, pinned, error }));
  });
}

function commitError(services: Services, run: Run, error: ModelError): void {
  const { step, attempt, requests, pinned } = checkpointOf(run.task());
  const verdict = decideRetry(error, attempt);
  const usage = error.usage ?? NO_USAGE;
  if (!verdict.retry) return failTurn(services, run, error.message, usage);
  run.commit((tx) => {
    tx.control.usage = addUsage(tx.control.usage, usage);
    const { message } = error;
    tx.checkpoint(run.id, storedCheckpoint({ phase: "prepare", step, attempt, requests, pinned, error: message }));
    tx.setStatus(run.id, { status: "sleeping", until: tx.now + verdict.delayMs });
    tx.emit({ type: "generation.retrying", attempt, error: error.kind });
  });
  services.live.drop(run.id);
}
