import { NO_USAGE } from "../../protocol/message.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import type { GenerationCheckpoint } from "../state/checkpoints.ts";
import { failTurn } from "./close-turn.ts";
import { checkpointOf, storedCheckpoint } from "./generation-checkpoint.ts";
import { decideRetry } from "./retry.ts";

/** Somebody who must be asked before a request cannot answer now: sleep and ask again, within the attempts of a step. */
export function sleepOn(services: Services, run: Run, message: string): void {
  const before = checkpointOf(run.task());
  const { attempt, pinned } = triedAgain(before);
  const verdict = decideRetry({ kind: "server", message, retryable: true }, attempt);
  if (!verdict.retry) return failTurn(services, run, message, NO_USAGE);
  run.commit((tx) => {
    const { step, requests } = before;
    tx.checkpoint(run.id, storedCheckpoint({ phase: "prepare", step, attempt, requests, pinned, error: message }));
    tx.setStatus(run.id, { status: "sleeping", until: tx.now + verdict.delayMs });
  });
}

/** A request that is committed is an attempt already. */
function triedAgain(before: GenerationCheckpoint): Pick<GenerationCheckpoint, "attempt" | "pinned"> {
  switch (before.phase) {
    case "prepare":
      return { attempt: before.attempt + 1, pinned: before.pinned };
    case "requesting":
      return before;
    case "tools":
      return { attempt: 1, pinned: null };
  }
}
