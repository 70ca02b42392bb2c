import type { Rest } from "../net/rest.ts";

/** What is seen within this time is told together. Milliseconds. */
const PAUSE_MS = 1_500;

interface SeenPorts {
  readonly rest: Pick<Rest, "seen">;
  readonly after: (ms: number, call: () => void) => () => void;
  /** The server knows it. */
  readonly onTold: (conversation: string) => void;
}

/** Tells the server how far conversations were seen: the newest revision of each, once. */
export class Seen {
  readonly #ports: SeenPorts;
  readonly #told = new Map<string, number>();
  readonly #waiting = new Map<string, number>();
  #isScheduled = false;

  constructor(ports: SeenPorts) {
    this.#ports = ports;
  }

  see(conversation: string, rev: number): void {
    if (rev <= (this.#told.get(conversation) ?? -1)) return;
    this.#waiting.set(conversation, rev);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#ports.after(PAUSE_MS, () => void this.#tell());
  }

  /** What the server does not take is told with the next that is seen. */
  async #tell(): Promise<void> {
    this.#isScheduled = false;
    for (const [conversation, rev] of [...this.#waiting]) {
      const reply = await this.#ports.rest.seen(conversation, rev);
      if (!reply.ok) continue;
      this.#told.set(conversation, rev);
      if (this.#waiting.get(conversation) === rev) this.#waiting.delete(conversation);
      this.#ports.onTold(conversation);
    }
  }
}
