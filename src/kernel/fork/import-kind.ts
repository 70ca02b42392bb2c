import { must } from "../../lib/assert.ts";
import type { Result } from "../../lib/result.ts";
import type { UserEntryData } from "../../protocol/view.ts";
import type { Tx } from "../commit/tx.ts";
import { MAX_FORK_ATTEMPTS, RETRY_BASE_MS, RETRY_CAP_MS } from "../limits.ts";
import { hostTx } from "../plugin/host-tx.ts";
import type { ForkRef, OriginPage } from "../ports/origin.ts";
import type { Run, TaskKind } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import { withLimit } from "../run/with-limit.ts";
import { FORK, IMPORT, NOTICE } from "../state/kinds.ts";
import type { Task } from "../state/task.ts";
import type { TaskOutcome } from "../storage/done.ts";
import { beginNextTurn } from "../turn/place.ts";
import { findPageFault, placePage } from "./place-page.ts";

/** The import's program counter: the last entry that is here, how many came, and how often the next page was not to be had. */
type ImportCheckpoint = {
  readonly phase: "pulling";
  readonly after: number;
  readonly entries: number;
  readonly attempt: number;
};

/** Begins the copy, in the commit that creates the conversation: what is new here gets ids above what is copied. */
export function beginImport(tx: Tx, ref: ForkRef): void {
  tx.control.nextId = ref.at + 1;
  const checkpoint: ImportCheckpoint = { phase: "pulling", after: 0, entries: 0, attempt: 0 };
  tx.createTask({ kind: IMPORT, input: { ...ref }, checkpoint, background: true });
}

/** Copies what a fork begins with, page by page. */
export function importKind(services: Services): TaskKind {
  return {
    kind: IMPORT,
    phases: { pulling: (run) => pullPage(services, run) },
    inFlight: [],
    async abort(run) {
      run.commit((tx) => endEarly(services, tx, run.task(), { outcome: "aborted", reason: "it was stopped" }));
    },
    fault(tx, task, reason) {
      endEarly(services, tx, task, { outcome: "faulted", reason: `the server failed at it (${reason})` });
    },
    describe: (checkpoint) => ({ phase: checkpoint.phase, entries: (checkpoint as ImportCheckpoint).entries }),
  };
}

async function pullPage(services: Services, run: Run): Promise<void> {
  const { input, checkpoint } = run.task();
  const ref = input as ForkRef;
  const before = checkpoint as ImportCheckpoint;
  let answer: Result<OriginPage, string>;
  try {
    answer = await askForPage(services, run, ref, before.after);
  } catch (error) {
    run.signal.throwIfAborted();
    return askLater(services, run, before, error);
  }
  const refusal = answer.ok ? findPageFault(answer.value.page, ref, before.after) : answer.error;
  if (refusal !== undefined) return failImport(services, run, refusal);
  const { page, place, calls = 1 } = must(answer.ok ? answer.value : undefined, "a page without a fault is there");
  services.calls.count += calls - 1;
  run.commit((tx) => {
    placePage(tx, page);
    place?.(hostTx(tx));
    if (page.documents) return complete(services, tx, run.task(), ref);
    const after = page.entries.at(-1)?.id ?? before.after;
    const next: ImportCheckpoint = {
      phase: "pulling",
      after,
      entries: before.entries + page.entries.length,
      attempt: 0,
    };
    tx.checkpoint(run.id, next);
  });
}

async function askForPage(
  { ports, calls }: Services,
  run: Run,
  ref: ForkRef,
  after: number,
): Promise<Result<OriginPage, string>> {
  if (!ports.origin) return { ok: false, error: "this server cannot read other conversations" };
  calls.count++;
  const over = new AbortController();
  const signal = AbortSignal.any([run.signal, over.signal]);
  try {
    return await withLimit(ports.clock, ports.origin.page(ref, after, signal), run.signal);
  } finally {
    over.abort();
  }
}

function askLater(services: Services, run: Run, before: ImportCheckpoint, cause: unknown): void {
  const attempt = before.attempt + 1;
  const reason = cause instanceof Error ? cause.message : String(cause);
  services.ports.report.report("import.page_failed", { after: before.after, attempt, error: reason });
  if (attempt >= MAX_FORK_ATTEMPTS) {
    return failImport(services, run, `it could not be read ${attempt} times in a row`);
  }
  run.commit((tx) => {
    tx.checkpoint(run.id, { ...before, attempt });
    const until = tx.now + Math.min(RETRY_CAP_MS, RETRY_BASE_MS * 2 ** (attempt - 1));
    tx.setStatus(run.id, { status: "sleeping", until });
  });
}

function complete({ ports }: Services, tx: Tx, task: Task, { from, at }: ForkRef): void {
  tx.append({ kind: FORK, data: { from, at } });
  tx.finish(task.id, "completed");
  ports.origin?.ended?.(hostTx(tx));
  beginNextTurn(tx);
}

function failImport(services: Services, run: Run, reason: string): void {
  run.commit((tx) => endEarly(services, tx, run.task(), { outcome: "failed", reason }));
}

/** Says what is missing and why. What is queued stays: it was meant for the whole conversation. */
function endEarly(
  { ports }: Services,
  tx: Tx,
  task: Task,
  { outcome, reason }: { readonly outcome: Exclude<TaskOutcome, "completed">; readonly reason: string },
): void {
  const [what, source] = ports.origin?.isFile?.(task.input as ForkRef)
    ? ["an import that", "file"]
    : ["a fork whose copy", "conversation that it came from"];
  const text =
    `[System] This conversation is ${what} ended early: ${reason}. ` +
    `Later messages of the ${source} are missing here; what stands above has arrived.`;
  const data: UserEntryData = { input: `system:fork:${task.id}`, actor: "" };
  tx.append({ kind: NOTICE, message: { role: "user", content: [{ type: "text", text }] }, data: { ...data } });
  tx.finish(task.id, outcome, { error: reason });
  ports.origin?.ended?.(hostTx(tx));
}
