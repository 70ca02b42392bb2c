import { NO_USAGE } from "../../protocol/message.ts";
import type { Tx } from "../commit/tx.ts";
import { placeReadySummary } from "../compaction/place.ts";
import { nextRequestTokens, requestTokens } from "../meter/size.ts";
import type { StepContext } from "../registry/hooks.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import type { PinnedRequest } from "../state/checkpoints.ts";
import type { Turn } from "../state/control.ts";
import { SYSTEM } from "../state/kinds.ts";
import { releaseNext } from "./attempt-cost.ts";
import { failTurn, skipTurn } from "./close-turn.ts";
import { commitPaid } from "./commit-paid.ts";
import { compactFirst } from "./compact-step.ts";
import { endTurn } from "./end.ts";
import { checkpointOf } from "./generation-checkpoint.ts";
import { commitNewRequest, commitRequesting, joinMeanwhile, planRequest, type RequestPlan } from "./request.ts";
import { sleepOn } from "./sleep-on.ts";
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
    const size = () => requestTokens(services, pinned.cutoff, pinned.volatile);
    return commitPaid(services, run, { turn, model: pinned.model, step, requests, size }, () => {
      run.commit((tx) => commitRequesting(tx, run.id, { phase: "requesting", step, attempt, requests, pinned }));
      return { requests, step, pinned };
    });
  }
  const step = before.step + 1;
  const context: StepContext = { actor: turn.actor, meta: structuredClone(turn.meta), step, signal: run.signal };
  let plan: RequestPlan;
  try {
    plan = await planRequest(services, registry, context);
  } catch (error) {
    run.signal.throwIfAborted();
    sleepOn(services, run, `The settings of this turn cannot be read now: ${reasonOf(error)}`);
    return undefined;
  }
  const { model, skip, refusal = before.step > 0 ? skip : undefined } = plan;
  if (skip !== undefined && before.step === 0) {
    skipTurn(services, run, skip);
    return undefined;
  }
  if (refusal !== undefined || model === null) {
    failTurn(services, run, refusal ?? NO_MODEL, NO_USAGE);
    return undefined;
  }
  const size = () => nextRequestTokens(services, plan);
  return commitPaid(services, run, { turn, model, step, requests, size }, () => {
    const pinned = run.commit((tx) => {
      // Somebody wanted a fresh start while the turn waited between its steps.
      if (before.step > 0 && hasQueuedHead(tx)) return endByReset(services, tx, run.id, registry);
      const isFresh = placeReadySummary(tx);
      joinMeanwhile(tx);
      if (!isFresh && compactFirst(services, tx, run.id, plan)) return undefined;
      return commitNewRequest(tx, run.id, before, { ...plan, model }, () => holdsPrompt(services));
    });
    return pinned && { requests, step, pinned };
  });
}

const NO_MODEL = "No model is configured: set a key or choose a model in althing.config.ts.";

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function endByReset(services: Services, tx: Tx, task: number, registry: RegistrySnapshot): undefined {
  releaseNext(services, tx, tx.task(task));
  tx.finish(task, "completed");
  endTurn(services, tx, { kind: "reset" }, registry);
}

function holdsPrompt({ active, store }: Services): boolean {
  return active.upTo(store.control.lastEntry).some((entry) => entry.kind === SYSTEM);
}
