import { unreachable } from "../../lib/assert.ts";
import { type AssistantMessage, addUsage, NO_USAGE, type Usage } from "../../protocol/message.ts";
import type { Tx } from "../commit/tx.ts";
import { MAX_ATTEMPTS, MAX_SUMMARY_PARTS, MAX_UNUSABLE_SUMMARIES } from "../limits.ts";
import { type Spent, spentOnError } from "../meter/attempt.ts";
import type { ModelError } from "../ports/model.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import {
  type CompactionCheckpoint,
  type CompactionSlot,
  compactionOf,
  type SummaryProgress,
  storedCompaction,
} from "../state/compaction.ts";
import { readSlot } from "../storage/slots.ts";
import { decideRetry } from "../turn/retry.ts";
import { readQuietly, type StreamEnd, sendWithin } from "../turn/stream-answer.ts";
import { entriesOf } from "./begin.ts";
import { type Judged, judgeAnswer } from "./judge.ts";
import { MIN_PART_BYTES } from "./limits.ts";
import { type CompactionFault, failCompaction, failStale, isStale, summaryTokens } from "./place.ts";
import { summaryRequest } from "./prompt.ts";
import { brokenOff, mayPaySummary, oweSummary } from "./summary-cost.ts";
import { countParts, takePart, writeTranscript } from "./transcript.ts";

/** One request of a compaction takes no longer. Milliseconds. */
const MAX_SUMMARY_MS = 5 * 60_000;

type Ready = Extract<CompactionCheckpoint, { readonly phase: "ready" | "summarizing" }>;

/** One attempt at one part of the history. */
interface Attempt {
  readonly checkpoint: Ready;
  readonly slot: CompactionSlot;
  readonly transcript: string;
  readonly text: string;
}

/** Makes one request and commits what came of it: the next part, the next attempt, the summary, or the end. */
export async function summarise(services: Services, run: Run): Promise<void> {
  const before = compactionOf(run.task());
  if (before.phase !== "ready") throw new Error(`Bug: a request was made in ${before.phase}`);
  if (isStale(services.store.control, before.cut)) return run.commit((tx) => failStale(tx, tx.task(run.id)));
  const slot = readSlot(services.ports.storage, run.id) as unknown as CompactionSlot;
  const transcript = writeTranscript(entriesOf(services, before.cut));
  const text = takePart(transcript, slot.read, before.asked.partBytes);
  const checkpoint: Ready = { ...before, phase: "summarizing", attempt: before.attempt + 1 };
  if (services.till && !(await mayPaySummary(services, run, checkpoint))) return;
  run.commit((tx) => tx.checkpoint(run.id, storedCompaction(checkpoint)));
  const { asked, complaint } = checkpoint;
  const request = summaryRequest({ asked, complaint, before: slot.text, text, instructions: slot.instructions });
  const end = await sendWithin(services, run, request, services.ports.clock.now() + MAX_SUMMARY_MS, readQuietly);
  const attempt: Attempt = { checkpoint, slot, transcript, text };
  run.commit((tx) => {
    const task = tx.task(run.id);
    oweSummary(services, tx, task, spentAt(end, brokenOff(task)));
    takeEnd(tx, run.id, attempt, end);
  });
}

function spentAt(end: StreamEnd, interrupted: Spent): Spent {
  switch (end.type) {
    case "end":
      return { kind: "counted", usage: end.usage };
    case "error":
      return spentOnError(end.error, interrupted);
    case "time_limit":
      return interrupted;
    default:
      return unreachable(end);
  }
}

function takeEnd(tx: Tx, task: number, attempt: Attempt, end: StreamEnd): void {
  const usage = usageOf(end);
  tx.control.usage = addUsage(tx.control.usage, usage);
  const checkpoint: Ready = {
    ...attempt.checkpoint,
    phase: "ready",
    usage: addUsage(attempt.checkpoint.usage, usage),
  };
  const counted: Attempt = { ...attempt, checkpoint };
  switch (end.type) {
    case "end":
      return takeAnswer(tx, task, counted, end.message);
    case "error":
      return end.error.kind === "context_overflow"
        ? takeSmallerPart(tx, task, counted)
        : tryAgain(tx, task, checkpoint, end.error);
    case "time_limit":
      return tryAgain(tx, task, checkpoint, TOOK_TOO_LONG);
    default:
      return unreachable(end);
  }
}

function usageOf(end: StreamEnd): Usage {
  return (end.type === "error" ? end.error.usage : end.usage) ?? NO_USAGE;
}

const TOOK_TOO_LONG: ModelError = {
  kind: "idle_timeout",
  message: `The model took longer than ${MAX_SUMMARY_MS / 60_000} minutes for a summary.`,
  retryable: true,
};

function takeAnswer(tx: Tx, task: number, attempt: Attempt, message: AssistantMessage): void {
  const { checkpoint, slot, transcript, text } = attempt;
  const read = slot.read + text.length;
  const isWhole = read >= transcript.length;
  const judged = judgePart(checkpoint, message, isWhole);
  if ("complaint" in judged) return refuse(tx, task, checkpoint, judged.complaint);
  tx.slot(task, { ...slot, text: judged.text, read });
  const { reason, cut, part, parts, asked, usage } = checkpoint;
  if (isWhole) {
    const done = { reason, cut, attempt: 0, part, parts, phase: "placing", model: asked.model, usage } as const;
    return tx.checkpoint(task, storedCompaction(done));
  }
  const next: Ready = { ...checkpoint, attempt: 0, part: part + 1, complaint: null };
  tx.checkpoint(task, storedCompaction(next));
}

/** The summary in an answer; the last part's must be shorter than what it stands for. */
function judgePart({ asked, cut }: Ready, message: AssistantMessage, isWhole: boolean): Judged {
  const judged = judgeAnswer(message, asked.summaryBytes);
  if ("complaint" in judged || !isWhole || summaryTokens(judged.text) < cut.tokens) return judged;
  return { complaint: "it was not shorter than what it stands for: write less." };
}

/** The answer cannot be used: one more is asked for, saying why, and no third. */
function refuse(tx: Tx, task: number, checkpoint: Ready, complaint: string): void {
  const unusable = checkpoint.unusable + 1;
  if (unusable >= MAX_UNUSABLE_SUMMARIES || checkpoint.attempt >= MAX_ATTEMPTS) {
    const error = `The model gave no summary that can be used: ${complaint}`;
    return failCompaction(tx, tx.task(task), "unusable", error);
  }
  tx.checkpoint(task, storedCompaction({ ...checkpoint, unusable, complaint }));
}

function tryAgain(tx: Tx, task: number, checkpoint: Ready, error: ModelError): void {
  const verdict = decideRetry(error, checkpoint.attempt);
  if (!verdict.retry) return failCompaction(tx, tx.task(task), "vendor", error.message);
  tx.checkpoint(task, storedCompaction(checkpoint));
  tx.setStatus(task, { status: "sleeping", until: tx.now + verdict.delayMs });
}

/** The estimate was wrong: the same place again, with half as much. */
function takeSmallerPart(tx: Tx, task: number, { checkpoint, slot, transcript }: Attempt): void {
  const partBytes = Math.floor(checkpoint.asked.partBytes / 2);
  const left = countParts(transcript, slot.read, Math.max(partBytes, MIN_PART_BYTES), MAX_SUMMARY_PARTS);
  const parts = checkpoint.part - 1 + left;
  if (partBytes < MIN_PART_BYTES || checkpoint.attempt >= MAX_ATTEMPTS || parts > MAX_SUMMARY_PARTS) {
    const error = `The history does not fit the window of ${checkpoint.asked.model} in parts either: choose a model with a larger window.`;
    return failCompaction(tx, tx.task(task), "too_long", error);
  }
  const asked: SummaryProgress["asked"] = { ...checkpoint.asked, partBytes };
  tx.checkpoint(task, storedCompaction({ ...checkpoint, asked, parts }));
}

/** Ends a compaction in a commit of its own. */
export function fail(run: Run, code: CompactionFault, error: string): void {
  run.commit((tx) => failCompaction(tx, tx.task(run.id), code, error));
}
