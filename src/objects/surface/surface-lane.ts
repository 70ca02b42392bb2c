import type { Holds } from "../../holds/index.ts";
import {
  afterStep,
  broughtUp,
  type CompleteSurface,
  type Host,
  LANE,
  type LaneItem,
  type LaneStep,
  type MessageSurface,
  nextStep,
  noteReceipt,
  replyOf,
  type SayReceipt,
  type Sending,
  type StandingCard,
  withItem,
  wordsOf,
} from "../../host/index.ts";
import type { DeliveryOutcome, EndedTurn, Hooks, HostTx, Kernel } from "../../kernel/index.ts";
import type { ConversationFacts } from "../../people/facts.ts";
import type { HoldCard, HoldsView } from "../../protocol/cards.ts";
import type { FileRef } from "../../protocol/message.ts";
import type { QuestionCard } from "../../protocol/questions.ts";

/** Outbox target and key of the row that says: look what is to be sent. */
export const SURFACE = "surface";

/** What keys of sayings begin with in the lane. */
const SAID_KEY = "say:";

/** Stands on a message of a person until it is read. */
const WAITING_MARK = "\u23f3";

/** Messages of one delivery: then the row comes again, so that none takes too long. */
const STEPS_AT_ONCE = 20;
/** A reply that could not be sent for so long is given up. */
const MAX_AGE_MS = 24 * 3_600_000;
/** Entries of a turn that are looked through for files. */
const MAX_TURN_ENTRIES = 200;

const NO_CARDS_TEXT = "No question can be shown here. Ask it in your reply, and end your turn.";

/** What a lane is made with. */
export interface LaneParts {
  readonly surface: CompleteSurface;
  readonly read: (file: FileRef) => Promise<ArrayBuffer | null>;
  readonly now: () => number;
  readonly report: (event: string, facts: { readonly [key: string]: string }) => void;
}

/** The conversation that speaks. */
export interface LaneLife {
  readonly kernel: Kernel;
  readonly holds: Pick<Holds, "listText" | "listed" | "endText">;
  readonly facts: Pick<ConversationFacts, "key">;
  /** What plugins ask people now. */
  questions(): readonly QuestionCard[];
}

/** Asks, inside a commit, for the network to be told what is new. */
export function requestSending(tx: HostTx): void {
  tx.send({ key: SURFACE, target: SURFACE, payload: null });
}

/** What makes a conversation on a network that is sent messages tell of itself. @param toList calls to list below a reply. */
export function laneHooks(
  host: Pick<Host, "plugins">,
  { prompts }: Pick<MessageSurface, "prompts">,
  toList: (tx: HostTx) => readonly string[],
): Hooks {
  const asks = (tool: string) => host.plugins.some(({ parts }) => parts.prompts?.some((one) => one.asks(tool)));
  return {
    beforeTool: ({ tool }) =>
      Promise.resolve(
        !prompts && asks(tool.name) ? { kind: "block", code: "no_cards", text: NO_CARDS_TEXT } : { kind: "pass" },
      ),
    turnEnded(tx, turn) {
      promiseReply(tx, turn, toList(tx));
      requestSending(tx);
    },
    parked: requestSending,
    settled: requestSending,
    // Replies that waited may have been sent since.
    restored(tx) {
      const { queue } = tx.get(LANE);
      if (queue.length > 0) tx.set(LANE, { queue: [] });
      for (const item of queue) noteSaid(tx, item, { status: "given_up" });
    },
  };
}

/** Promises a message that lists the calls which no turn's reply will. */
export function promiseList(tx: HostTx, holds: readonly string[]): void {
  const newest = holds.at(-1);
  if (newest === undefined) return;
  promise(tx, { key: `list:${newest}`, at: tx.now, end: "list", entry: null, from: null, holds });
  requestSending(tx);
}

function promiseReply(tx: HostTx, { task, outcome, entry, from }: EndedTurn, holds: readonly string[]): void {
  if (outcome === "reset") return;
  promise(tx, { key: `reply:${task}`, at: tx.now, end: outcome, entry, from, holds });
}

/** Promises what a plugin has said. What has no place any more is given up. */
export function promiseSaying(tx: HostTx, key: string, entry: number): void {
  promise(tx, { key: `${SAID_KEY}${key}`, at: tx.now, end: "said", entry, from: entry, holds: [] });
  requestSending(tx);
}

function promise(tx: HostTx, item: LaneItem): void {
  const { queue } = tx.get(LANE);
  const next = withItem(queue, item);
  tx.set(LANE, { queue: next });
  for (const lost of queue) if (!next.includes(lost)) noteSaid(tx, lost, { status: "given_up" });
}

function noteSaid(tx: HostTx, { end, key }: LaneItem, receipt: SayReceipt): void {
  if (end === "said") noteReceipt(tx, key.slice(SAID_KEY.length), receipt);
}

/** Brings the open cards of a conversation up once more, inside a commit: a message is no answer to them. */
export function bringUp(tx: HostTx, prompts: readonly string[]): void {
  tx.set(LANE, { cards: broughtUp(tx.get(LANE).cards, prompts) });
  requestSending(tx);
}

/**
 * Sends what a conversation has to say to its network, one after the other: replies, cards, and what became of cards. Each
 * goes under a key that is the same however often it is tried, and is noted in a commit of its own once the network has it.
 */
export class SurfaceLane {
  readonly #parts: LaneParts;

  constructor(parts: LaneParts) {
    this.#parts = parts;
  }

  async deliver(life: LaneLife): Promise<DeliveryOutcome> {
    for (let steps = 0; steps < STEPS_AT_ONCE; steps++) {
      const { surface } = this.#parts;
      const step = nextStep(life.kernel.get(LANE), standingOf(life, surface), waitingOf(life, surface));
      if (!step) return { status: "sent" };
      const sending = await this.#send(life, step);
      if (sending?.status === "retry" && !this.#isTooOld(step)) return sending;
      if (sending && sending.status !== "sent") this.#giveUp(step, sending.error);
      life.kernel.commit((tx) => this.#note(life, tx, step, sending));
    }
    life.kernel.commit(requestSending);
    return { status: "sent" };
  }

  /** Undefined: there is nothing to send, or nothing any more. */
  async #send(life: LaneLife, step: LaneStep): Promise<Sending | undefined> {
    const { surface } = this.#parts;
    switch (step.kind) {
      case "reply":
        return this.#reply(life, step.item);
      case "card":
        return this.#card(life, step);
      case "close": {
        const { prompt, message } = step;
        const key = `close:${prompt}:${message}`;
        return surface.prompts?.close({ key, channel: life.facts.key, message, text: endOf(life, prompt) });
      }
      case "mark":
        await surface[step.isOn ? "react" : "unreact"](life.facts.key, step.message, WAITING_MARK);
        return undefined;
    }
  }

  async #reply(life: LaneLife, item: LaneItem): Promise<Sending | undefined> {
    const { surface, read } = this.#parts;
    const entries = item.from === null ? [] : life.kernel.entriesAfter(item.from - 1, MAX_TURN_ENTRIES);
    const { text: words, files } = replyOf(
      item,
      entries.filter(({ id }) => id <= (item.entry ?? 0)),
    );
    const text = [words, life.holds.listText(item.holds)].filter((part) => part !== "").join("\n\n");
    if (text === "" && files.length === 0) return undefined;
    const outgoing = files.map((file) => ({ ...file, read: () => read(file) }));
    const message = { key: item.key, channel: life.facts.key, text, files: outgoing };
    // What a plugin says is no end of a turn: what shows that one runs stays.
    return item.end === "said" ? surface.sendNotice(message) : surface.sendReply(message);
  }

  async #card(life: LaneLife, { prompt, nth }: Extract<LaneStep, { kind: "card" }>): Promise<Sending | undefined> {
    const { surface } = this.#parts;
    const channel = life.facts.key;
    const key = `card:${prompt}:${nth}`;
    const held = holdCards(life).find(({ hold }) => hold === prompt);
    const asked = life.questions().find((card) => card.prompt === prompt);
    const task = held?.task ?? asked?.task;
    const before = nth === 1 && task !== undefined ? await this.#wordsBefore(life, task) : undefined;
    if (before && before.status !== "sent") return before;
    if (held) return surface.prompts?.confirm({ key, channel, card: held });
    return asked && surface.prompts?.ask({ key, channel, card: asked });
  }

  /** What the model said with the call stands before its card. Once, however many cards come of one answer. */
  async #wordsBefore(life: LaneLife, task: number): Promise<Sending | undefined> {
    const { kernel, facts } = life;
    const entry = entryOfCall(kernel, task);
    if (entry === undefined || entry <= kernel.get(LANE).said) return undefined;
    const message = kernel.history.entry(entry)?.message;
    const text = message ? wordsOf(message) : "";
    const { surface } = this.#parts;
    const sent =
      text === "" ? undefined : await surface.sendNotice({ key: `said:${entry}`, channel: facts.key, text, files: [] });
    if (sent === undefined || sent.status === "sent") kernel.commit((tx) => tx.set(LANE, { said: entry }));
    return sent;
  }

  #note({ holds }: LaneLife, tx: HostTx, step: LaneStep, sending: Sending | undefined): void {
    const sent = sending?.status === "sent" ? sending : undefined;
    tx.set(LANE, afterStep(tx.get(LANE), step, sent?.id));
    if (step.kind !== "reply") return;
    noteSaid(tx, step.item, sent ? { status: "said", at: sent.at, id: sent.id } : { status: "given_up" });
    if (sent) holds.listed(tx, { holds: step.item.holds, reply: step.item.key, at: sent.at });
  }

  #giveUp(step: LaneStep, error: string): void {
    const what = step.kind === "reply" ? step.item.key : JSON.stringify(step);
    this.#parts.report("surface.given_up", { surface: this.#parts.surface.surface, what, error });
  }

  #isTooOld(step: LaneStep): boolean {
    return step.kind === "reply" && this.#parts.now() - step.item.at > MAX_AGE_MS;
  }
}

/** Messages of people that wait for their place, as the network calls them; none where nothing can be marked. */
function waitingOf({ kernel }: LaneLife, { reacts }: Pick<CompleteSurface, "reacts">): readonly string[] {
  if (!reacts) return [];
  return kernel.control.inbox.flatMap(({ key, actor }) =>
    actor !== "" && key.startsWith(`${actor}:`) ? [key.slice(actor.length + 1)] : [],
  );
}

/** Cards that stand on the network or should; none where it shows none. */
function standingOf(life: LaneLife, { prompts }: Pick<MessageSurface, "prompts">): readonly StandingCard[] {
  if (!prompts) return [];
  const held = holdCards(life).map(({ hold, status }) => ({ prompt: hold, isOpen: status === "open" }));
  const asked = life.questions().map(({ prompt, status }) => ({ prompt, isOpen: status === "open" }));
  return [...held, ...asked];
}

function holdCards({ kernel }: Pick<LaneLife, "kernel">): readonly HoldCard[] {
  return (kernel.snapshot().view.plugins["holds"] as unknown as HoldsView).cards;
}

/** What people read of something that was asked and is over. */
function endOf(life: LaneLife, prompt: string): string {
  const card = life.questions().find((one) => one.prompt === prompt);
  if (card?.answered) return `${card.answered.by} answered this.`;
  return life.holds.endText(prompt) ?? "This is over.";
}

/** The answer that holds the call of a task. */
function entryOfCall(kernel: Kernel, task: number): number | undefined {
  return (kernel.control.tasks[String(task)]?.input as { readonly entry?: number } | null | undefined)?.entry;
}
