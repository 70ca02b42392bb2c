import { must } from "../../lib/assert.ts";
import { type AssistantMessage, addUsage, NO_USAGE, type Usage } from "../../protocol/message.ts";
import type { AssistantEntryData } from "../../protocol/view.ts";
import type { Tx } from "../commit/tx.ts";
import { MAX_ATTEMPTS, MAX_CALLS_PER_STEP, MAX_STEPS, MAX_WORK_MS } from "../limits.ts";
import type { ModelError } from "../ports/model.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { Run, TaskKind } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import type { GenerationCheckpoint, PinnedRequest } from "../state/checkpoints.ts";
import type { Turn, TurnTool } from "../state/control.ts";
import type { Task } from "../state/task.ts";
import { workedMs } from "../state/work-time.ts";
import { readSlot } from "../storage/slots.ts";
import { endTurn } from "./end.ts";
import { ASSISTANT, GENERATION, TOOL } from "./kinds.ts";
import { buildRequest, commitNewRequest, commitRequesting, planRequest, type RequestPlan } from "./request.ts";
import { decideRetry } from "./retry.ts";
import { appendResult, textResult } from "./settle-call.ts";
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
      const partial = partialText(services, run.id);
      run.commit((tx) => closeUnanswered(services, tx, run.task(), { reason: "stopped", partial, usage: NO_USAGE }));
      services.live.drop(run.id);
    },
    fault(tx, task, reason) {
      const error = `The server failed while it worked on this turn: ${reason}`;
      const partial = partialText(services, task.id);
      closeUnanswered(services, tx, task, { reason: "failed", partial, error, usage: NO_USAGE });
    },
  };
}

async function requestStep(services: Services, run: Run): Promise<void> {
  const before = checkpointOf(run.task());
  const turn = must(services.store.control.turn, "a generation without a turn");
  const limit = limitReached(before, turn, services.ports.clock.now());
  if (limit) return fail(services, run, limit, NO_USAGE);
  const registry = services.registry.snapshot();
  const next = await commitStep(services, run, registry, turn);
  if (!next) return;
  const { attempt, pinned } = next;
  const sentAt = services.ports.clock.now();
  const deadline = sentAt + Math.max(0, MAX_WORK_MS - workedMs(turn, sentAt));
  const request = buildRequest(services, registry, pinned);
  const end = await streamAnswer(services, run, attempt, request, deadline);
  const ms = services.ports.clock.now() - sentAt;
  switch (end.type) {
    case "end":
      return commitAnswer(services, run, { message: end.message, usage: end.usage, ms, pinned });
    case "error":
      return commitError(services, run, end.error);
    case "time_limit":
      return fail(services, run, WORK_LIMIT, NO_USAGE);
  }
}

/** Commits what the next request is. Undefined when there can be none: the turn failed, or sleeps. */
async function commitStep(
  services: Services,
  run: Run,
  registry: RegistrySnapshot,
  turn: Turn,
): Promise<{ readonly attempt: number; readonly pinned: PinnedRequest } | undefined> {
  const before = checkpointOf(run.task());
  if (before.phase === "prepare" && before.pinned) {
    const { step, pinned } = before;
    const attempt = before.attempt + 1;
    run.commit((tx) => commitRequesting(tx, run.id, { phase: "requesting", step, attempt, pinned }));
    return { attempt, pinned };
  }
  let plan: RequestPlan;
  try {
    plan = await planRequest(services, registry, turn);
  } catch (error) {
    run.signal.throwIfAborted();
    sleepOnHost(services, run, error);
    return undefined;
  }
  const { model, refusal } = plan;
  if (refusal !== undefined || model === null) {
    fail(services, run, refusal ?? NO_MODEL, NO_USAGE);
    return undefined;
  }
  const pinned = run.commit((tx) => commitNewRequest(tx, run.id, before.step + 1, { ...plan, model }));
  return { attempt: 1, pinned };
}

/** The host cannot say now what the step may run with: sleep and ask again, within the attempts of a step. */
function sleepOnHost(services: Services, run: Run, cause: unknown): void {
  const before = checkpointOf(run.task());
  const attempt = before.phase === "prepare" ? before.attempt + 1 : 1;
  const message = `The settings of this turn cannot be read now: ${cause instanceof Error ? cause.message : String(cause)}`;
  const verdict = decideRetry({ kind: "server", message, retryable: true }, attempt);
  if (!verdict.retry) return fail(services, run, message, NO_USAGE);
  run.commit((tx) => {
    tx.checkpoint(run.id, { phase: "prepare", step: before.step, attempt, pinned: null, error: message });
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
  const { step, attempt, pinned } = checkpointOf(run.task());
  if (attempt >= MAX_ATTEMPTS) {
    return fail(services, run, `The request was interrupted ${attempt} times, the limit.`, NO_USAGE);
  }
  run.commit((tx) => {
    const error = "The request was interrupted and is sent again.";
    tx.checkpoint(run.id, { phase: "prepare", step, attempt, pinned: pinned && { ...pinned }, error });
  });
}

interface Answer {
  readonly message: AssistantMessage;
  readonly usage: Usage;
  readonly ms: number;
  readonly pinned: PinnedRequest;
}

function commitAnswer(services: Services, run: Run, answer: Answer): void {
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
  const { step, attempt, pinned } = checkpointOf(tx.task(run.id));
  tx.checkpoint(run.id, { phase: "tools", step, attempt, pinned: pinned && { ...pinned } });
  tx.setStatus(run.id, { status: "waiting", tasks: tools.map((tool) => tool.task) });
  tx.control.turn = { ...must(tx.control.turn, "calls outside of a turn"), tools };
}

function commitError(services: Services, run: Run, error: ModelError): void {
  const { step, attempt, pinned } = checkpointOf(run.task());
  const verdict = decideRetry(error, attempt);
  const usage = error.usage ?? NO_USAGE;
  if (!verdict.retry) return fail(services, run, error.message, usage);
  run.commit((tx) => {
    tx.control.usage = addUsage(tx.control.usage, usage);
    tx.checkpoint(run.id, { phase: "prepare", step, attempt, pinned: pinned && { ...pinned }, error: error.message });
    tx.setStatus(run.id, { status: "sleeping", until: tx.now + verdict.delayMs });
    tx.emit({ type: "generation.retrying", attempt, error: error.kind });
  });
  services.live.drop(run.id);
}

function fail(services: Services, run: Run, error: string, usage: Usage): void {
  const partial = partialText(services, run.id);
  run.commit((tx) => closeUnanswered(services, tx, tx.task(run.id), { reason: "failed", partial, error, usage }));
  services.live.drop(run.id);
}

interface Closing {
  readonly reason: "failed" | "stopped";
  readonly partial: string;
  readonly error?: string;
  readonly usage: Usage;
}

/** Ends the turn without an answer; what was streamed stays as an entry that is shown and never sent. */
function closeUnanswered(services: Services, tx: Tx, task: Task, closing: Closing): void {
  const { reason, partial, error, usage } = closing;
  const { pinned } = checkpointOf(task);
  const display = { reason, ...(error !== undefined && { error }) };
  const ms = pinned ? tx.now - pinned.since : 0;
  const data = { model: pinned?.model ?? "", usage: { ...usage }, ms, display };
  const message: AssistantMessage = { role: "assistant", content: [{ type: "text", text: partial }], stop: "end" };
  tx.append({ kind: ASSISTANT, message, data, task: task.id });
  tx.control.usage = addUsage(tx.control.usage, usage);
  tx.finish(task.id, reason === "stopped" ? "aborted" : "failed");
  endTurn(tx, { kind: reason }, services.registry.snapshot());
}

function partialText(services: Services, task: number): string {
  const streamed = services.live.textOf(task, "text");
  if (streamed !== "") return streamed;
  const saved = readSlot(services.ports.storage, task) as { readonly text?: string } | undefined;
  return saved?.text ?? "";
}

function checkpointOf(task: Task): GenerationCheckpoint {
  return task.checkpoint as unknown as GenerationCheckpoint;
}
