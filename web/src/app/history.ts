import type { ReplayAnswer, SentRequest } from "../../../src/protocol/rest.ts";
import type { ViewEntry } from "../../../src/protocol/view.ts";
import type { Refused, Reply } from "../net/rest.ts";
import type { Ports } from "./ports.ts";

/** Where the sentences about a command go. */
export interface HistoryEvents {
  readonly onDone: (words: string) => void;
  readonly onRefusal: (message: string) => void;
}

/** What can be done with a conversation's past. What changes comes back as a commit; only refusals are told here. */
export class History {
  readonly #id: string;
  readonly #ports: Pick<Ports, "rest" | "uuid">;
  readonly #events: HistoryEvents;
  /** UUIDs of forks that did not succeed yet, by entry. */
  readonly #forks = new Map<number, string>();

  constructor(id: string, ports: Pick<Ports, "rest" | "uuid">, events: HistoryEvents) {
    this.#id = id;
    this.#ports = ports;
    this.#events = events;
  }

  /** Asks for a summary of older messages. */
  async compact(): Promise<void> {
    const reply = await this.#ports.rest.compact(this.#id);
    if (!reply.ok) this.#tell(reply.error);
    else if (!reply.value.started) this.#events.onDone("Older messages are being summarised already.");
  }

  async startAfresh(): Promise<void> {
    const reply = await this.#ports.rest.reset(this.#id);
    if (!reply.ok) this.#tell(reply.error);
    else if (reply.value.status === "queued")
      this.#events.onDone("The agent starts afresh after the step that it is in.");
  }

  /** @returns the id of the new conversation. A repeat after a failure asks under the same id. */
  async fork(entry: number): Promise<string | undefined> {
    const id = this.#forks.get(entry) ?? this.#ports.uuid();
    this.#forks.set(entry, id);
    const reply = await this.#ports.rest.fork(this.#id, id, entry);
    if (reply.ok) {
      this.#forks.delete(entry);
      return id;
    }
    this.#tell(reply.error);
    return undefined;
  }

  async pin(entry: number, on: boolean): Promise<void> {
    const reply = await this.#ports.rest.pin(this.#id, { entry, on });
    if (!reply.ok) this.#tell(reply.error);
  }

  async stopTask(task: number): Promise<void> {
    const reply = await this.#ports.rest.stopTask(this.#id, task);
    if (!reply.ok) this.#tell(reply.error);
  }

  left(entry: number): Reply<{ readonly entries: readonly ViewEntry[] }> {
    return this.#ports.rest.left(this.#id, entry);
  }

  sent(entry: number): Reply<SentRequest> {
    return this.#ports.rest.sent(this.#id, entry);
  }

  replay(entry: number, model: string): Reply<ReplayAnswer> {
    return this.#ports.rest.replay(this.#id, entry, model);
  }

  #tell({ code, message }: Refused): void {
    // That there is nothing to do is an answer, no trouble.
    if (code === "nothing_to_do") this.#events.onDone(message);
    else this.#events.onRefusal(message);
  }
}
