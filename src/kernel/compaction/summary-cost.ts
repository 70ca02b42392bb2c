import type { Tx } from "../commit/tx.ts";
import { oweAttempt, type Spent } from "../meter/attempt.ts";
import { estimatedHigh } from "../meter/size.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import { type CompactionInput, compactionOf, type SummaryModel, storedCompaction } from "../state/compaction.ts";
import type { Task } from "../state/task.ts";
import { UNCHECKED } from "../turn/commit-paid.ts";
import { decideRetry } from "../turn/retry.ts";
import { BYTES_PER_TOKEN } from "./estimate.ts";
import { failCompaction } from "./place.ts";
import { PROMPT_TOKENS } from "./prompt.ts";

/** Whether the next request of a compaction may be paid for. False: it failed or sleeps and asks again; that is committed. */
export async function mayPaySummary(
  { till, ports }: Services,
  run: Run,
  next: { readonly part: number; readonly attempt: number; readonly asked: SummaryModel },
): Promise<boolean> {
  if (!till) return true;
  const { actor, meta } = run.task().input as unknown as CompactionInput;
  const { model, maxOutputTokens } = next.asked;
  const input = estimatedHigh(inputTokens(next.asked));
  try {
    const ask = { key: summaryKey(run.id, next), actor, meta, model, input, maxOutputTokens };
    const answer = await till.ask(ask, run);
    run.signal.throwIfAborted();
    if (!answer.ok) run.commit((tx) => failCompaction(tx, tx.task(run.id), "spending", answer.error));
    return answer.ok;
  } catch (error) {
    run.signal.throwIfAborted();
    ports.report.report("meter.failed", { error: String(error) });
    sleepUnchecked(run);
    return false;
  }
}

/** Notes in its own commit what the compaction's request under way came to. When none is, nothing. */
export function oweSummary(services: Services, tx: Tx, task: Task, spent: Spent): void {
  const checkpoint = compactionOf(task);
  if (checkpoint.phase !== "summarizing") return;
  const { actor } = task.input as unknown as CompactionInput;
  oweAttempt(services, tx, { key: summaryKey(task.id, checkpoint), actor, model: checkpoint.asked.model }, spent);
}

/** What a request that broke off came to: nobody saw anything of its answer. */
export function brokenOff(task: Task): Spent {
  const checkpoint = compactionOf(task);
  const input = () => ("asked" in checkpoint ? inputTokens(checkpoint.asked) : 0);
  return { kind: "interrupted", input, streamed: "" };
}

function summaryKey(task: number, { part, attempt }: { readonly part: number; readonly attempt: number }): string {
  return `${task}/${part}.${attempt}`;
}

function inputTokens({ partBytes, summaryBytes }: SummaryModel): number {
  return Math.ceil((partBytes + summaryBytes) / BYTES_PER_TOKEN) + PROMPT_TOKENS;
}

function sleepUnchecked(run: Run): void {
  const before = compactionOf(run.task());
  const attempt = before.attempt + 1;
  const verdict = decideRetry({ kind: "server", message: UNCHECKED, retryable: true }, attempt);
  run.commit((tx) => {
    if (!verdict.retry) return failCompaction(tx, tx.task(run.id), "spending", UNCHECKED);
    tx.checkpoint(run.id, storedCompaction({ ...before, attempt }));
    tx.setStatus(run.id, { status: "sleeping", until: tx.now + verdict.delayMs });
  });
}
