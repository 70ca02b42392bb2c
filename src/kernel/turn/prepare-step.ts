import { NO_USAGE } from "../../protocol/message.ts";
import type { Tx } from "../commit/tx.ts";
import { placeReadySummary } from "../compaction/place.ts";
import type { StepContext } from "../registry/hooks.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import type { PinnedRequest } from "../state/checkpoints.ts";
import type { Turn } from "../state/control.ts";
import { SYSTEM } from "../state/kinds.ts";
import { failTurn } from "./close-turn.ts";
import { compactFirst } from "./compact-step.ts";
import { endTurn } from "./end.ts";
import { checkpointOf } from "./generation-checkpoint.ts";
import { commitNewRequest, commitRequesting, joinMeanwhile, planRequest, type RequestPlan } from "./request.ts";
import { decideRetry } from "./retry.ts";
import { hasQueuedHead } from "./writes.ts";

/** A request that was committed and may leave. `requests` counts those of the turn, `step` its model steps. */
export interface CommittedStep {
  readonly requests: number;
  readonly step: number;
  readonly pinned: PinnedRequest;
}

/** Commits what the next request is. Undefined when there can be none now: the turn failed, sleeps, or waits for a summary. */
export async function commitStep(
  services: Services,
  run: Run,
  registry: RegistrySnapshot,
  turn: Turn,
): Promise<CommittedStep | undefined> {
  const before = checkpointOf(run.task());
  const requests = before.requests + 1;
  if (before.phase === "prepare" && before.pinned) {
    const { step, pinned } = before;
    const attempt = before.attempt + 1;
    run.commit((tx) => commitRequesting(tx, run.id, { phase: "requesting", step, attempt, requests, pinned }));
    return { requests, step, pinned };
  }
  const step = before.step + 1;
  const context: StepContext = { actor: turn.actor, meta: structuredClone(turn.meta), step, signal: run.signal };
  let plan: RequestPlan;
  try {
    plan = await planRequest(services, registry, context);
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
  const pinned = run.commit((tx) => {
    // Somebody wanted a fresh start while the turn waited between its steps.
    if (before.step > 0 && hasQueuedHead(tx)) return endByReset(tx, run.id, registry);
    const isFresh = placeReadySummary(tx);
    joinMeanwhile(tx);
    if (!isFresh && compactFirst(services, tx, run.id, plan)) return undefined;
    return commitNewRequest(tx, run.id, before, { ...plan, model }, () => holdsPrompt(services));
  });
  return pinned && { requests, step, pinned };
}

const NO_MODEL = "No model is configured: set a key or choose a model in althing.config.ts.";

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

function endByReset(tx: Tx, task: number, registry: RegistrySnapshot): undefined {
  tx.finish(task, "completed");
  endTurn(tx, { kind: "reset" }, registry);
}

function holdsPrompt({ active, store }: Services): boolean {
  return active.upTo(store.control.lastEntry).some((entry) => entry.kind === SYSTEM);
}
