import { NO_USAGE } from "../../protocol/message.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import { failTurn } from "./close-turn.ts";
import { checkpointOf, storedCheckpoint } from "./generation-checkpoint.ts";
import { decideRetry } from "./retry.ts";

/** Somebody who must be asked before a request cannot answer now: sleep and ask again, within the attempts of a step. */
export function sleepOn(services: Services, run: Run, message: string): void {
  const before = checkpointOf(run.task());
  const [attempt, pinned] = before.phase === "prepare" ? [before.attempt + 1, before.pinned] : [1, null];
  const verdict = decideRetry({ kind: "server", message, retryable: true }, attempt);
  if (!verdict.retry) return failTurn(services, run, message, NO_USAGE);
  run.commit((tx) => {
    const { step, requests } = before;
    tx.checkpoint(run.id, storedCheckpoint({ phase: "prepare", step, attempt, requests, pinned, error: message }));
    tx.setStatus(run.id, { status: "sleeping", until: tx.now + verdict.delayMs });
  });
}
