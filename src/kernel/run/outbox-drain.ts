import { OUTBOX_MAX_AGE_MS } from "../limits.ts";
import type { DeliveryOutcome } from "../ports/ports.ts";
import type { OutboxItem } from "../state/control.ts";
import { readOutboxPayload } from "../storage/outbox.ts";
import type { Services } from "./services.ts";
import { withLimit } from "./with-limit.ts";

const MAX_PARALLEL = 4;
const BACKOFF_BASE_MS = 1_000;
const BACKOFF_CAP_MS = 5 * 60_000;

/** Told how a delivery went. `failed`: its end could not be committed. */
export interface DrainWatcher {
  settled(): void;
  failed(error: unknown): void;
}

/** Delivers outbox rows after their commit, at least once, oldest first. One that gets no answer in time is sent again later. */
export class OutboxDrain {
  readonly #services: Pick<Services, "ports" | "store" | "calls">;
  readonly #watcher: DrainWatcher;
  readonly #underWay = new Set<string>();
  readonly #closing = new AbortController();

  constructor(services: Pick<Services, "ports" | "store" | "calls">, watcher: DrainWatcher) {
    this.#services = services;
    this.#watcher = watcher;
  }

  get isActive(): boolean {
    return this.#underWay.size > 0;
  }

  close(): void {
    this.#closing.abort();
  }

  /** Starts what is due, at most `room` deliveries. Returns how many began. */
  start(now: number, room: number): number {
    let begun = 0;
    for (const item of this.#services.store.control.outbox) {
      if (begun >= room || this.#underWay.size >= MAX_PARALLEL) break;
      if (item.due > now || this.#underWay.has(item.key)) continue;
      begun++;
      this.#begin(item);
    }
    return begun;
  }

  #begin(item: OutboxItem): void {
    this.#underWay.add(item.key);
    void this.#deliver(item).then(
      () => {
        this.#underWay.delete(item.key);
        this.#watcher.settled();
      },
      (error: unknown) => {
        // Told first: a loop that looks in between would send it once more.
        this.#watcher.failed(error);
        this.#underWay.delete(item.key);
      },
    );
  }

  async #deliver(item: OutboxItem): Promise<void> {
    const now = this.#services.ports.clock.now();
    const outcome = isTooOld(item, now) ? TOO_OLD : await this.#send(item);
    if (!this.#closing.signal.aborted) this.#settle(item, outcome);
  }

  async #send({ key, target, attempts, createdAt }: OutboxItem): Promise<DeliveryOutcome> {
    const { ports, calls } = this.#services;
    const payload = readOutboxPayload(ports.storage, key) ?? "null";
    calls.count++;
    const limit = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, limit.signal]);
    try {
      const sent = ports.deliver.deliver({ key, target, payload, attempts, createdAt }, signal);
      return await withLimit(ports.clock, sent, this.#closing.signal);
    } catch (error) {
      return { status: "retry", error: String(error) };
    } finally {
      limit.abort();
    }
  }

  #settle(sent: OutboxItem, outcome: DeliveryOutcome): void {
    const { store, ports } = this.#services;
    store.commit((tx) => {
      const item = tx.control.outbox.find((other) => other.key === sent.key);
      // A newer row took the key while this one was under way: it is delivered in its own right.
      if (item?.stamp !== sent.stamp) return;
      if (outcome.status === "sent") return tx.unsend(sent.key);
      if (outcome.status === "drop" || isTooOld(sent, tx.now)) {
        const { key, target, attempts } = sent;
        ports.report.report("outbox.dropped", { key, target, attempts, error: outcome.error });
        return tx.unsend(sent.key);
      }
      const pause = Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** Math.min(sent.attempts, 20));
      const due = tx.now + Math.max(pause, outcome.afterMs ?? 0);
      const later = { ...item, attempts: item.attempts + 1, due };
      tx.control.outbox = tx.control.outbox.map((other) => (other.key === sent.key ? later : other));
    });
  }
}

const TOO_OLD = { status: "drop", error: "It is older than the age limit." } as const;

function isTooOld(item: OutboxItem, now: number): boolean {
  return now - item.createdAt > OUTBOX_MAX_AGE_MS;
}
