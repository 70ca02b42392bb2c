import { type Signal, signal } from "@preact/signals";
import type { WaitingCard } from "../../../src/protocol/audit.ts";
import type { Ports } from "./ports.ts";

/** The cards that wait for this person, in all conversations, as far as the server was asked. */
export class WaitingList {
  readonly cards: Signal<readonly WaitingCard[]> = signal([]);
  /** There are others beside these. */
  readonly more: Signal<boolean> = signal(false);
  /** The hold of a card that was chosen and is to be shown. */
  readonly wanted: Signal<string | undefined> = signal(undefined);
  readonly #ports: Pick<Ports, "rest" | "isHidden">;
  #isReading = false;
  #isStale = false;

  constructor(ports: Pick<Ports, "rest" | "isHidden">) {
    this.#ports = ports;
  }

  /** Reads the list again, unless nobody looks. Calls during a read are joined into one more read after it. */
  async refresh(): Promise<void> {
    if (this.#ports.isHidden()) return;
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#isStale) {
      this.#isStale = false;
      const reply = await this.#ports.rest.waiting();
      // What cannot be read now stays as it was known; a decision is checked by the server anyway.
      if (!reply.ok) continue;
      this.cards.value = reply.value.cards;
      this.more.value = reply.value.more;
    }
    this.#isReading = false;
  }
}
