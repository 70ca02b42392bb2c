import type { Store } from "../commit/store.ts";
import { OUTBOX_MAX_AGE_MS } from "../limits.ts";
import type { DeliveryOutcome, KernelPorts } from "../ports/ports.ts";
import type { OutboxItem } from "../state/control.ts";
import { readOutboxPayload } from "../storage/outbox.ts";

const MAX_PARALLEL = 4;
const BACKOFF_BASE_MS = 1_000;
const BACKOFF_CAP_MS = 5 * 60_000;

/** Delivers outbox rows after their commit, at least once, oldest first. */
export class OutboxDrain {
  readonly #ports: KernelPorts;
  readonly #store: Store;
  readonly #onSettled: () => void;
  readonly #underWay = new Set<string>();
  readonly #closing = new AbortController();

  constructor(ports: KernelPorts, store: Store, onSettled: () => void) {
    this.#ports = ports;
    this.#store = store;
    this.#onSettled = onSettled;
  }

  get isActive(): boolean {
    return this.#underWay.size > 0;
  }

  close(): void {
    this.#closing.abort();
  }

  /** Starts whatever is due. Returns how many deliveries began. */
  start(now: number): number {
    let begun = 0;
    for (const item of this.#store.control.outbox) {
      if (item.due > now || this.#underWay.size >= MAX_PARALLEL || this.#underWay.has(item.key)) continue;
      this.#underWay.add(item.key);
      begun++;
      void this.#deliver(item).finally(() => {
        this.#underWay.delete(item.key);
        this.#onSettled();
      });
    }
    return begun;
  }

  async #deliver(item: OutboxItem): Promise<void> {
    const { key, target, attempts, createdAt } = item;
    const payload = readOutboxPayload(this.#ports.storage, key) ?? "null";
    const outcome = await this.#send({ key, target, payload, attempts, createdAt });
    if (this.#closing.signal.aborted) return;
    try {
      this.#settle(item, outcome);
    } catch (error) {
      this.#ports.report.report("outbox.settle_failed", { key, error: String(error) });
    }
  }

  async #send(row: Parameters<KernelPorts["deliver"]["deliver"]>[0]): Promise<DeliveryOutcome> {
    try {
      return await this.#ports.deliver.deliver(row, this.#closing.signal);
    } catch (error) {
      return { status: "retry", error: String(error) };
    }
  }

  #settle(sent: OutboxItem, outcome: DeliveryOutcome): void {
    this.#store.commit((tx) => {
      const item = tx.control.outbox.find((other) => other.key === sent.key);
      // A newer row took the key while this one was under way: it is delivered in its own right.
      if (item?.stamp !== sent.stamp) return;
      if (outcome.status === "sent") return tx.unsend(sent.key);
      const tooOld = tx.now - sent.createdAt > OUTBOX_MAX_AGE_MS;
      if (outcome.status === "drop" || tooOld) {
        const { key, target, attempts } = sent;
        this.#ports.report.report("outbox.dropped", { key, target, attempts, error: outcome.error });
        return tx.unsend(sent.key);
      }
      const pause = Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** Math.min(sent.attempts, 20));
      const due = tx.now + Math.max(pause, outcome.afterMs ?? 0);
      const later = { ...item, attempts: item.attempts + 1, due };
      tx.control.outbox = tx.control.outbox.map((other) => (other.key === sent.key ? later : other));
    });
  }
}
