import { randomUUID } from "node:crypto";
import type { HoldCard } from "../../src/protocol/cards.ts";
import type { PolicyView } from "../../src/protocol/view.ts";
import { ChatClient } from "../kit/chat-client.ts";
import type { SeededRandom } from "../kit/random.ts";
import type { Person } from "./person.ts";

const UTTERANCES = [
  "Hello there",
  "What is 12 * (3 + 4)?",
  "Use several tools at once",
  "Add a note: buy milk",
  "Send the build webhook",
  "Call the build webhook please",
  "Send the build webhook",
] as const;

/** What somebody who presses Edit puts in place of what was proposed. */
const EDITED = { target: "build", body: { message: "as edited" } };

export interface SaidMessage {
  readonly text: string;
  readonly mode: "queue" | undefined;
}

/** One person at one conversation: talks, presses cards by either way, sets rules, stops. */
export class Seat {
  readonly client: ChatClient;
  readonly said = new Map<string, SaidMessage>();
  readonly accepted = new Set<string>();
  /** How often each thing was done, for the report. */
  readonly deeds: { [deed: string]: number } = {};
  readonly person: Person;
  readonly conversation: string;
  readonly #random: SeededRandom;

  constructor(person: Person, conversation: string, random: SeededRandom) {
    this.person = person;
    this.conversation = conversation;
    this.#random = random;
    this.client = new ChatClient(person.url, conversation, person.cookie);
  }

  get label(): string {
    return `${this.person.name} in ${this.conversation}`;
  }

  get openCards(): readonly HoldCard[] {
    return this.client.cards.filter(({ status }) => status === "open");
  }

  /** Acts until that moment. The server may die meanwhile. */
  async act(until: number): Promise<void> {
    const random = this.#random;
    while (Date.now() < until) {
      // Somebody who was shut out comes back as soon as they may.
      if (!this.client.isOpen) await this.client.connect();
      for (const card of this.openCards) if (random.unit() < 0.6) await this.#press(card);
      if ((this.client.view?.inbox.length ?? 0) < 2 && random.unit() < 0.5) this.#say();
      if (random.unit() < 0.15) await this.#rule();
      if (random.unit() < 0.1) await this.goOn();
      if (this.client.view?.turn && random.unit() < 0.03) this.#do("stop", () => this.client.stop());
      await sleep(random.between(20, 200));
    }
  }

  /** Starts what a failed turn left queued. */
  async goOn(): Promise<void> {
    const { view } = this.client;
    if (view && !view.turn && view.inbox.length > 0) await this.#post("continue", {});
  }

  /** Approves every open card, by REST. */
  async approveAll(): Promise<void> {
    for (const { hold, digest } of this.openCards) await this.#post("decide", { hold, digest, decision: "approve" });
  }

  /** What became of a message: the same id said again tells. */
  async receiptOf(id: string, { text, mode }: SaidMessage): Promise<string> {
    const { status, text: body } = await this.#post("messages", { id, text, ...(mode && { mode }) });
    const receipt = JSON.parse(body) as { readonly status?: string };
    return receipt.status ?? `refused with ${status}`;
  }

  #say(): void {
    const id = `m${this.said.size + 1}`;
    const message = {
      text: this.#random.pick(UTTERANCES),
      mode: this.#random.unit() < 0.3 ? "queue" : undefined,
    } as const;
    this.said.set(id, message);
    void this.client.say(id, message.text, message.mode).then(() => this.accepted.add(id));
  }

  async #press(card: HoldCard): Promise<void> {
    const random = this.#random;
    const { hold, digest } = card;
    const decision = random.unit() < 0.75 ? "approve" : "decline";
    const way = random.unit();
    if (way < 0.3) {
      this.#do(`${decision} by socket`, () => this.client.decide(card, decision));
      // Pressed twice, as impatient people do.
      if (random.unit() < 0.3) this.client.decide(card, decision);
    } else if (way < 0.6) {
      await this.#post("decide", { hold, digest, decision }, `${decision} by REST`);
    } else if (way < 0.8) {
      const cards = this.openCards.map((open) => ({ hold: open.hold, digest: open.digest }));
      if (cards.length > 0) await this.#post("decisions", { cards, decision }, "decide several");
    } else if (way < 0.9) {
      await this.#post("decide", { hold, digest, decision: "approve", input: EDITED }, "edit");
    } else {
      await this.#post(
        "decide",
        { hold, digest, decision: "approve", always: { any: ["body"], hours: 1 } },
        "always allow",
      );
    }
  }

  async #rule(): Promise<void> {
    const policy = this.client.view?.plugins["policy"] as unknown as PolicyView | undefined;
    const [allow] = policy?.allow ?? [];
    const [constraint] = policy?.constraints ?? [];
    if (allow) await this.#post(`allow-rules/${allow.id}/revoke`, {}, "revoke");
    if (constraint)
      return await this.#post(`constraints/${constraint.id}/remove`, {}, "unconstrain").then(() => undefined);
    const effect = this.#random.pick(["ask", "never"] as const);
    const body = { id: randomUUID(), tools: ["add_note"], effect, text: "notes need a person" };
    await this.#post("constraints", body, "constrain");
  }

  async #post(path: string, body: object, deed = path): Promise<{ readonly status: number; readonly text: string }> {
    const answer = await this.person.post(`/conversations/${this.conversation}/${path}`, body);
    this.#count(answer.status < 300 && answer.status > 0 ? deed : `${deed}: ${answer.status}`);
    return answer;
  }

  #do(deed: string, effect: () => void): void {
    effect();
    this.#count(deed);
  }

  #count(deed: string): void {
    this.deeds[deed] = (this.deeds[deed] ?? 0) + 1;
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
