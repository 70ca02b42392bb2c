import type { Result } from "../../lib/result.ts";
import type { CardChoices } from "../../protocol/cards.ts";
import type { ServerFrame } from "../../protocol/frames.ts";
import type { Op } from "../../protocol/ops.ts";
import type { ChatPerson, ChatRefusal } from "./chat-port.ts";

interface TellerHost<Listener> {
  /** Everybody who follows, with whom they are. */
  listeners(): readonly (readonly [Listener, ChatPerson])[];
  choices(person: ChatPerson): Promise<Result<readonly CardChoices[], ChatRefusal>>;
  send(listener: Listener, frame: ServerFrame): void;
  bar(listener: Listener, refusal: ChatRefusal): void;
}

/**
 * Keeps each listener told of what their person may do with the cards. It stands beside the view, which is the same for all.
 * In memory: after a wake everybody is told again.
 */
export class ChoiceTeller<Listener extends object> {
  readonly #host: TellerHost<Listener>;
  readonly #told = new WeakMap<Listener, string>();
  #isTelling = false;
  #isStale = false;

  constructor(host: TellerHost<Listener>) {
    this.#host = host;
  }

  /** It is unknown what this listener was told. */
  forget(listener: Listener): void {
    this.#told.delete(listener);
  }

  /** Tells everybody for whom something changed. What changes during a round is told by one more. */
  async tell(): Promise<void> {
    this.#isStale = true;
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#round();
      }
    } finally {
      this.#isTelling = false;
    }
  }

  async #round(): Promise<void> {
    const asked = new Map<string, ReturnType<TellerHost<Listener>["choices"]>>();
    for (const [listener, person] of this.#host.listeners()) {
      const answer = asked.get(person.sessionHash) ?? this.#host.choices(person);
      asked.set(person.sessionHash, answer);
      const choices = await answer;
      if (choices.ok) this.#tellOne(listener, choices.value);
      else this.#host.bar(listener, choices.error);
    }
  }

  #tellOne(listener: Listener, cards: readonly CardChoices[]): void {
    const text = JSON.stringify(cards);
    if (text === (this.#told.get(listener) ?? NOTHING)) return;
    this.#told.set(listener, text);
    this.#host.send(listener, { type: "choices", cards });
  }
}

/** What may change who may do what: cards, rules about them, who is here. */
const ABOUT_CARDS = new Set<unknown>(["holds", "policy", "room"]);

/** Whether a commit may have changed what somebody may do with a card. */
export function touchesCards(ops: readonly Op[]): boolean {
  return ops.some((op) => op[0] === "r" || (op[1][0] === "plugins" && ABOUT_CARDS.has(op[1][1])));
}

/** Where no card waits, nothing has to be said. */
const NOTHING = "[]";
