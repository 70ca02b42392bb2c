import { must } from "../../lib/assert.ts";
import { addUsage, NO_USAGE } from "../../protocol/message.ts";
import type { TurnChoice } from "../../protocol/view.ts";
import type { Tx } from "../commit/tx.ts";
import { activeEntries, beginCompaction, type Demand } from "../compaction/begin.ts";
import { contextTokensOf } from "../compaction/estimate.ts";
import { readConfig } from "../compaction/limits.ts";
import { placeReadySummary } from "../compaction/place.ts";
import { pinText } from "../context/pinned.ts";
import { spentOnError } from "../meter/attempt.ts";
import type { ModelError } from "../ports/model.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import type { GenerationCheckpoint } from "../state/checkpoints.ts";
import { liveCompaction } from "../state/compaction.ts";
import type { Turn } from "../state/control.ts";
import { readReceipt } from "../storage/done.ts";
import type { Entry } from "../storage/entries.ts";
import { oweRequest } from "./attempt-cost.ts";
import { failTurn } from "./close-turn.ts";
import { checkpointOf, prepareAnew } from "./generation-checkpoint.ts";
import type { RequestPlan } from "./request.ts";

/**
 * Before a step's request, inside its commit: when it would fill the model's window beyond the threshold and something older
 * can be summarised, the generation waits for that. True: it waits.
 */
export function compactFirst(services: Services, tx: Tx, task: number, plan: RequestPlan): boolean {
  const { auto, compactAt } = readConfig(services.store);
  const turn = must(tx.control.turn, "a request outside of a turn");
  const window = plan.contextTokens;
  if (!auto || window === undefined || turn.uncompacted) return false;
  const entries = activeEntries(services, tx);
  if (contextTokensOf(entries, plan, pinnedWords(services, tx, entries)) <= window * compactAt) return false;
  const demand = { reason: "threshold", window, owner: task } as const;
  return waitForSummary(services, tx, task, demand, checkpointOf(tx.task(task)));
}

/** Where the generation goes on once the summary stands. */
type Place = Pick<GenerationCheckpoint, "step" | "requests">;

/** False: there is nothing to summarise. */
function waitForSummary(services: Services, tx: Tx, task: number, demand: Demand, place: Place): boolean {
  const on = liveCompaction(tx.control)?.id ?? beginCompaction(services, tx, demand);
  if (on === undefined) return false;
  prepareAnew(tx, task, place);
  tx.setStatus(task, { status: "waiting", tasks: [on] });
  return true;
}

/** What the request carries of pinned entries that are not part of the transcript any more. */
function pinnedWords({ store }: Services, tx: Tx, entries: readonly Entry[]): string {
  const inside = new Set(entries.map((entry) => entry.id));
  const outside = store.pins.filter((id) => !inside.has(id));
  return outside
    .map((id) => tx.entry(id)?.message)
    .flatMap((message) => (message ? [pinText(message)] : []))
    .join("\n");
}

/**
 * The vendor found the request too long for the model's window. Once a step, older messages are summarised and the step is
 * tried again with what stands then; else the turn fails and says what can be done.
 */
export function compactAfterOverflow(services: Services, run: Run, error: ModelError): void {
  const { usage = NO_USAGE } = error;
  const spent = spentOnError(error, { kind: "nothing" });
  const { step, requests, pinned } = checkpointOf(run.task());
  const window = pinned?.contextTokens;
  const turn = must(services.store.control.turn, "a request outside of a turn");
  if (turn.overflow?.step === step) {
    return failTurn(services, run, overflowSentence(window, STILL), usage, { choices: ALL_CHOICES, spent });
  }
  const again: Place = { step: step - 1, requests };
  const goesOn = run.commit((tx) => {
    const sent = tx.task(run.id);
    const isPlaced = placeReadySummary(tx);
    const demand = { reason: "overflow", window, owner: run.id } as const;
    if (isPlaced) prepareAnew(tx, run.id, again);
    else if (!waitForSummary(services, tx, run.id, demand, again)) return false;
    oweRequest(services, tx, sent, spent);
    tx.control.usage = addUsage(tx.control.usage, usage);
    const live = liveCompaction(tx.control);
    if (live?.owner === run.id) {
      const standing = must(tx.control.turn, "a request outside of a turn");
      tx.control.turn = { ...standing, overflow: { step, task: live.id } };
    }
    return true;
  });
  if (!goesOn) {
    const choices = ["reset", "model"] as const;
    return failTurn(services, run, overflowSentence(window, NOTHING_OLDER), usage, { choices, spent });
  }
  services.live.drop(run.id);
}

/** Why the step that did not fit cannot be tried again: its summary came to nothing. */
export function overflowFailure(services: Services, checkpoint: GenerationCheckpoint, turn: Turn): string | undefined {
  const { overflow } = turn;
  if (!overflow || checkpoint.phase !== "prepare" || overflow.step !== checkpoint.step + 1) return undefined;
  const receipt = readReceipt(services.ports.storage, overflow.task);
  if (!receipt || receipt.outcome === "completed") return undefined;
  const { error = "" } = (receipt.result ?? {}) as { readonly error?: string };
  return overflowSentence(undefined, `and no summary of its older part could be made. ${error} ${REMEDY}`);
}

/** What a person may do about a conversation that does not fit. */
export const ALL_CHOICES: readonly TurnChoice[] = ["compact", "reset", "model"];

const REMEDY = "Summarise again, start afresh here, or choose a model with a larger window.";
const STILL = `even after its older part was summarised. ${REMEDY}`;
const NOTHING_OLDER =
  "and there is nothing older to summarise. Start afresh here, or choose a model with a larger window.";

function overflowSentence(window: number | undefined, rest: string): string {
  const named = window === undefined ? "window" : `window of ${window} tokens`;
  return `The conversation does not fit the model's ${named}, ${rest}`;
}
