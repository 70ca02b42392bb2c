import { NO_USAGE } from "../../protocol/message.ts";
import { estimatedHigh } from "../meter/size.ts";
import { turnKey } from "../meter/till.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import type { Turn } from "../state/control.ts";
import { attemptKey } from "./attempt-cost.ts";
import { failTurn } from "./close-turn.ts";
import { checkpointOf } from "./generation-checkpoint.ts";
import { sleepOn } from "./sleep-on.ts";

/** The request that is about to be committed. `requests`: its number in the turn. `size`: tokens of it, estimated. */
export interface NextRequest {
  readonly turn: Turn;
  readonly model: string;
  readonly requests: number;
  readonly size: () => number;
}

/** What people read when nobody can be asked; the cause is the operator's. */
export const UNCHECKED = "The server cannot check what you may spend now; try again.";

/** Whether the next request may be paid for. False: the turn failed, saying why, or sleeps and asks again; that is committed. */
export async function mayPay(
  { till, ...rest }: Services,
  run: Run,
  { turn, model, requests, size }: NextRequest,
): Promise<boolean> {
  if (!till) return true;
  const services: Services = { till, ...rest };
  const { actor, meta } = turn;
  const begins = checkpointOf(run.task()).step === 0 ? { begins: turnKey(turn.task) } : {};
  const input = till.meter.isFree(model) ? 0 : estimatedHigh(size());
  try {
    const ask = { key: attemptKey(run.id, requests), actor, meta, model, input, ...begins };
    const answer = await till.ask(ask, run);
    run.signal.throwIfAborted();
    if (!answer.ok) failTurn(services, run, answer.error, NO_USAGE);
    return answer.ok;
  } catch (error) {
    run.signal.throwIfAborted();
    services.ports.report.report("meter.failed", { error: String(error) });
    sleepOn(services, run, UNCHECKED);
    return false;
  }
}
