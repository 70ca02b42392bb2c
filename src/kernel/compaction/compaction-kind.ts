import { addUsage, NO_USAGE } from "../../protocol/message.ts";
import { MAX_ATTEMPTS, MAX_SUMMARY_BYTES, MAX_SUMMARY_PARTS } from "../limits.ts";
import type { Run, TaskKind } from "../registry/task-kind.ts";
import type { Services, TurnSettings } from "../run/services.ts";
import { withLimit } from "../run/with-limit.ts";
import {
  type CompactionInput,
  type CompactionSlot,
  compactionOf,
  type SummaryModel,
  storedCompaction,
} from "../state/compaction.ts";
import { COMPACTION } from "../state/kinds.ts";
import { decideRetry } from "../turn/retry.ts";
import { askHandlers } from "./ask-handlers.ts";
import { entriesOf } from "./begin.ts";
import { summaryModel } from "./limits.ts";
import { failCompaction, failStale, isStale, mayPlace, placeSummary } from "./place.ts";
import { fail, summarise } from "./summarise.ts";
import { brokenOff, oweSummary } from "./summary-cost.ts";
import { countParts, writeTranscript } from "./transcript.ts";

/**
 * Makes a summary of older entries: prepare → (ready → summarizing …) → placing → end. Each part of the history is one
 * request; whatever was made stays in the slot, so that a crash repeats one request at most.
 */
export function compactionKind(services: Services): TaskKind {
  return {
    kind: COMPACTION,
    phases: {
      prepare: (run) => prepare(services, run),
      ready: (run) => summarise(services, run),
      summarizing: (run) => Promise.resolve(recover(services, run)),
      placing: (run) => Promise.resolve(place(run)),
    },
    inFlight: ["summarizing"],
    async abort(run) {
      const usage = services.lateUsage.get(run.id) ?? NO_USAGE;
      run.commit((tx) => {
        tx.control.usage = addUsage(tx.control.usage, usage);
        const task = tx.task(run.id);
        oweSummary(services, tx, task, usage === NO_USAGE ? brokenOff(task) : { kind: "counted", usage });
        failCompaction(tx, tx.task(run.id), "stopped", "The summary was stopped.", "aborted");
      });
      services.lateUsage.delete(run.id);
      return Promise.resolve();
    },
    fault(tx, task, reason) {
      oweSummary(services, tx, task, brokenOff(task));
      failCompaction(tx, task, "faulted", `The server failed while it summarised: ${reason}`, "faulted");
    },
  };
}

async function prepare(services: Services, run: Run): Promise<void> {
  const { cut } = compactionOf(run.task());
  if (isStale(services.store.control, cut)) return run.commit((tx) => failStale(tx, tx.task(run.id)));
  let settings: TurnSettings;
  try {
    settings = await readSettings(services, run);
  } catch (error) {
    run.signal.throwIfAborted();
    return sleepOnHost(run, error);
  }
  const { model, refusal, contextTokens } = settings;
  if (refusal !== undefined || model === null) return fail(run, "no_model", refusal ?? NO_MODEL);
  const asked = summaryModel(model, contextTokens);
  if (isStale(services.store.control, cut)) return run.commit((tx) => failStale(tx, tx.task(run.id)));
  const decided = await askHandlers(services, run, entriesOf(services, cut), MAX_SUMMARY_BYTES);
  switch (decided?.kind) {
    case "decline":
      return fail(run, "declined", decided.reason);
    case "summary":
      return keepGiven(run, decided.text.trim());
    case "instructions":
    case undefined:
      return begin(services, run, asked, decided?.text ?? "");
  }
}

const NO_MODEL = "No model is configured: set a key or choose a model in althing.config.ts.";

async function readSettings({ host, store, ports }: Services, run: Run): Promise<TurnSettings> {
  const { actor, meta } = run.task().input as unknown as CompactionInput;
  const asked = Promise.resolve(host.settings({ actor, meta }, store));
  return withLimit(ports.clock, asked, run.signal);
}

/** The host cannot say now what to summarise with: sleep and ask again, within the attempts of a request. */
function sleepOnHost(run: Run, cause: unknown): void {
  const checkpoint = compactionOf(run.task());
  const attempt = checkpoint.attempt + 1;
  const message = `The settings cannot be read now: ${cause instanceof Error ? cause.message : String(cause)}`;
  const verdict = decideRetry({ kind: "server", message, retryable: true }, attempt);
  if (!verdict.retry) return fail(run, "no_model", message);
  run.commit((tx) => {
    tx.checkpoint(run.id, storedCompaction({ ...checkpoint, attempt }));
    tx.setStatus(run.id, { status: "sleeping", until: tx.now + verdict.delayMs });
  });
}

/** A handler gave the summary: no model is asked. */
function keepGiven(run: Run, text: string): void {
  const { reason, cut } = compactionOf(run.task());
  const slot: CompactionSlot = { text, read: 0, instructions: "" };
  run.commit((tx) => {
    tx.slot(run.id, { ...slot });
    const done = { reason, cut, attempt: 0, part: 1, parts: 1, phase: "placing", model: "", usage: NO_USAGE } as const;
    tx.checkpoint(run.id, storedCompaction(done));
  });
}

/** Pins what the requests are made with. */
function begin(services: Services, run: Run, asked: SummaryModel, instructions: string): void {
  const { reason, cut } = compactionOf(run.task());
  if (isStale(services.store.control, cut)) return run.commit((tx) => failStale(tx, tx.task(run.id)));
  const transcript = writeTranscript(entriesOf(services, cut));
  const parts = countParts(transcript, 0, asked.partBytes, MAX_SUMMARY_PARTS);
  if (parts > MAX_SUMMARY_PARTS) {
    const error = `The history would have to be summarised in more than ${MAX_SUMMARY_PARTS} parts for ${asked.model}: choose a model with a larger window.`;
    return fail(run, "too_long", error);
  }
  const slot: CompactionSlot = { text: "", read: 0, instructions };
  const progress = { asked, unusable: 0, complaint: null, usage: NO_USAGE };
  run.commit((tx) => {
    tx.slot(run.id, { ...slot });
    const ready = { reason, cut, attempt: 0, part: 1, parts, phase: "ready", ...progress } as const;
    tx.checkpoint(run.id, storedCompaction(ready));
  });
}

/** A crash interrupted a request. It counts as an attempt; the next one has another number. */
function recover(services: Services, run: Run): void {
  const checkpoint = compactionOf(run.task());
  if (checkpoint.phase !== "summarizing") throw new Error(`Bug: ${checkpoint.phase} was not in flight`);
  const isLast = checkpoint.attempt >= MAX_ATTEMPTS;
  run.commit((tx) => {
    const task = tx.task(run.id);
    oweSummary(services, tx, task, brokenOff(task));
    if (!isLast) return tx.checkpoint(run.id, storedCompaction({ ...checkpoint, phase: "ready" }));
    failCompaction(tx, task, "interrupted", `The summary was interrupted ${checkpoint.attempt} times, the limit.`);
  });
}

/** Places the summary where nothing stands between; else it waits for the turn's next step or its end. */
function place(run: Run): void {
  run.commit((tx) => {
    const task = tx.task(run.id);
    if (mayPlace(tx.control, run.id)) placeSummary(tx, task);
    else if (task.status !== "parked") tx.setStatus(run.id, { status: "parked", waitingOn: "", deadline: null });
  });
}
