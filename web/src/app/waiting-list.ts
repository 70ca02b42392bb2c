import { type Signal, signal } from "@preact/signals";
import type { WaitingCard } from "../../../src/protocol/waiting.ts";
import type { Ports } from "./ports.ts";

/** A question that waits in some conversation. */
export type WaitingQuestion = Extract<WaitingCard, { readonly kind: "question" }>;

/** The list across conversations is told of a change after the conversation itself. */
export const TOLD_MS = 2_000;

/** What names a card in its conversation: its element there is `card-<id>`. */
export function idOf(card: WaitingCard): string {
  return card.kind === "approval" ? card.hold : card.prompt;
}

/** The cards that wait for this person, in all conversations, as far as the server was asked. */
export class WaitingList {
  readonly cards: Signal<readonly WaitingCard[]> = signal([]);
  /** There are others beside these. */
  readonly more: Signal<boolean> = signal(false);
  /** The id of a card that was chosen and is to be shown. */
  readonly wanted: Signal<string | undefined> = signal(undefined);
  readonly #ports: Pick<Ports, "rest" | "isHidden" | "after">;
  #isReading = false;
  #isStale = false;

  constructor(ports: Pick<Ports, "rest" | "isHidden" | "after">) {
    this.#ports = ports;
  }

  /** It was answered: it goes at once. The list is told of it a little later, and is read once more then. */
  drop(card: WaitingCard): void {
    this.cards.value = this.cards.value.filter((one) => one !== card);
    this.#ports.after(TOLD_MS, () => void this.refresh());
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
