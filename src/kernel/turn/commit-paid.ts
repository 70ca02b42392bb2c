import type { Result } from "../../lib/result.ts";
import { NO_USAGE } from "../../protocol/message.ts";
import { estimatedHigh } from "../meter/size.ts";
import { type Till, turnKey } from "../meter/till.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import type { Turn } from "../state/control.ts";
import { attemptKey } from "./attempt-cost.ts";
import { failTurn } from "./close-turn.ts";
import { sleepOn } from "./sleep-on.ts";

/** The request that is about to be committed. `requests`: its number in the turn. `size`: tokens of it, estimated. */
export interface NextRequest {
  readonly turn: Turn;
  readonly model: string;
  readonly step: number;
  readonly requests: number;
  readonly size: () => number;
}

/** What people read when nobody can be asked; the cause is the operator's. */
export const UNCHECKED = "The server cannot check what you may spend now; try again.";

/**
 * Commits the next request once it may be paid for. One that costs nothing is committed while the beginning of its turn is
 * counted: it leaves only after that, all the same.
 * @returns undefined when it may not leave, or nothing was committed: then the turn failed, saying why, or sleeps and asks again, or waits for something else, and that is committed.
 */
export async function commitPaid<T>(
  services: Services,
  run: Run,
  next: NextRequest,
  commit: () => T | undefined,
): Promise<T | undefined> {
  const { till } = services;
  if (!till) return commit();
  const asked = ask(till, run, next);
  if (!till.meter.isFree(next.model)) return (await granted(services, run, asked)) ? commit() : undefined;
  // Whatever is thrown before it is awaited, it is not left alone.
  asked.catch(() => undefined);
  const committed = commit();
  return committed !== undefined && (await granted(services, run, asked)) ? committed : undefined;
}

async function ask(
  till: Till,
  run: Run,
  { turn, model, step, requests, size }: NextRequest,
): Promise<Result<void, string>> {
  const { actor, meta } = turn;
  const begins = step === 1 ? { begins: turnKey(turn.task) } : {};
  const input = till.meter.isFree(model) ? 0 : estimatedHigh(size());
  return till.ask({ key: attemptKey(run.id, requests), actor, meta, model, input, ...begins }, run);
}

async function granted(services: Services, run: Run, asked: Promise<Result<void, string>>): Promise<boolean> {
  try {
    const answer = await asked;
    run.signal.throwIfAborted();
    if (!answer.ok) failTurn(services, run, answer.error, NO_USAGE, { spent: { kind: "nothing" } });
    return answer.ok;
  } catch (error) {
    run.signal.throwIfAborted();
    services.ports.report.report("meter.failed", { error: String(error) });
    sleepOn(services, run, UNCHECKED);
    return false;
  }
}
