import type { DeliveryOutcome, OutboxRow } from "../../src/kernel/index.ts";
import { deliveryOf } from "./deliveries.ts";
import type { DeliveryPlan } from "./script.ts";
import type { Stage } from "./stage.ts";

/** The other side of the outbox: remembers what it acknowledged, over all lives of the process. */
export class Outside {
  readonly #stage: Stage;
  /** Of each row that was acknowledged or refused for good, by stamp of time and content: in which life. */
  readonly #settled = new Map<string, number>();
  /** The newest content that reached an end, by key. */
  readonly #ends = new Map<string, string>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async deliver(row: OutboxRow, plan: DeliveryPlan): Promise<DeliveryOutcome> {
    const { crashes, clock } = this.#stage.world;
    const { life } = crashes;
    const name = `${row.key} ${row.createdAt} ${row.payload}`;
    if (this.#settled.get(name) === life) this.#stage.violated("acknowledgedIsNotSentAgain", name);
    const outcome = await deliveryOf(plan, clock);
    if (outcome.status === "retry" || crashes.life !== life || !crashes.isAlive) return outcome;
    this.#settled.set(name, life);
    this.#ends.set(row.key, row.payload);
    return outcome;
  }

  /** The newest content under a key that was acknowledged, or refused for good. */
  endOf(key: string): string | undefined {
    return this.#ends.get(key);
  }
}
