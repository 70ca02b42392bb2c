import { defineNamespace } from "../../kernel/index.ts";

/** Replies that wait for a network at once. When it is away for longer, the oldest are given up. */
export const MAX_LANE_ITEMS = 100;
/** How often one card is brought up, the first time included. */
export const MAX_CARD_SHOWS = 5;

/** How a turn ended; `list`: calls wait that no turn will tell of; `said`: a plugin has something said. */
export type ItemEnd = "answered" | "failed" | "stopped" | "skipped" | "list" | "said";

/** A reply that was promised, by what it tells of: what people read is made when it is sent. */
export type LaneItem = {
  readonly key: string;
  readonly at: number;
  readonly end: ItemEnd;
  /** The entry that ends the turn, and the first one of it. Null: there is none. */
  readonly entry: number | null;
  readonly from: number | null;
  /** Calls that it lists. */
  readonly holds: readonly string[];
};

/** A card that was shown: how often it is to be, and what the network calls the messages that show it. */
export type ShownCard = { readonly wanted: number; readonly shows: number; readonly messages: readonly string[] };

/** What is to be sent to a network, in its order, and which cards stand there. */
export type LaneState = {
  readonly queue: readonly LaneItem[];
  /** By hold or question. */
  readonly cards: { readonly [prompt: string]: ShownCard };
  /** The newest entry whose words were sent before a card. */
  readonly said: number;
  /** Messages of people that carry the mark of waiting, by what the network calls them. */
  readonly marked: readonly string[];
};

/** The lane of one conversation on a network that is sent messages. Nobody sees it. */
export const LANE = defineNamespace<LaneState>({ name: "lane", sticky: { queue: [], cards: {}, said: 0, marked: [] } });

/** A card as it stands: open, or over. `entry`: the answer that holds its call; null: not known. */
export interface StandingCard {
  readonly prompt: string;
  readonly isOpen: boolean;
}

/** What is sent next. */
export type LaneStep =
  | { readonly kind: "reply"; readonly item: LaneItem }
  | { readonly kind: "card"; readonly prompt: string; readonly nth: number }
  | { readonly kind: "close"; readonly prompt: string; readonly message: string }
  | { readonly kind: "mark"; readonly message: string; readonly isOn: boolean };

/** With one more reply at the end; those that have no place any more go first. */
export function withItem(queue: LaneState["queue"], item: LaneItem): LaneState["queue"] {
  return queue.some(({ key }) => key === item.key) ? queue : [...queue, item].slice(-MAX_LANE_ITEMS);
}

/**
 * Replies first, in their order; then cards that are not shown yet; then those that are over; then marks. Undefined: nothing.
 * @param waiting messages of people that wait for their place, as the network calls them.
 */
export function nextStep(
  { queue, cards, marked }: LaneState,
  standing: readonly StandingCard[],
  waiting: readonly string[] = [],
): LaneStep | undefined {
  const [item] = queue;
  if (item) return { kind: "reply", item };
  const open = standing.filter(({ isOpen }) => isOpen);
  for (const { prompt } of open) {
    const { wanted, shows } = shownOf(cards, prompt);
    if (shows < wanted) return { kind: "card", prompt, nth: shows + 1 };
  }
  for (const [prompt, { messages }] of Object.entries(cards)) {
    const [message] = messages;
    if (message !== undefined && !open.some((one) => one.prompt === prompt)) return { kind: "close", prompt, message };
  }
  const fresh = waiting.find((message) => !marked.includes(message));
  if (fresh !== undefined) return { kind: "mark", message: fresh, isOn: true };
  const over = marked.find((message) => !waiting.includes(message));
  return over === undefined ? undefined : { kind: "mark", message: over, isOn: false };
}

/** The state once a step is done. `id`: what the network calls the message; undefined: it took none. */
export function afterStep(
  { queue, cards, marked }: LaneState,
  step: LaneStep,
  id: string | undefined,
): Partial<LaneState> {
  if (step.kind === "reply") return { queue: queue.filter(({ key }) => key !== step.item.key) };
  if (step.kind === "mark") {
    const others = marked.filter((message) => message !== step.message);
    return { marked: step.isOn ? [...others, step.message] : others };
  }
  const card = shownOf(cards, step.prompt);
  if (step.kind === "card") {
    const messages = id === undefined ? card.messages : [...card.messages, id];
    return { cards: { ...cards, [step.prompt]: { ...card, shows: step.nth, messages } } };
  }
  const messages = card.messages.filter((message) => message !== step.message);
  const { [step.prompt]: _closed, ...others } = cards;
  return { cards: messages.length === 0 ? others : { ...cards, [step.prompt]: { ...card, messages } } };
}

/** With these cards brought up once more, as far as they were shown and may be. */
export function broughtUp(cards: LaneState["cards"], prompts: readonly string[]): LaneState["cards"] {
  const again = prompts.flatMap((prompt) => {
    const card = shownOf(cards, prompt);
    return card.shows === 0 || card.wanted >= MAX_CARD_SHOWS ? [] : [[prompt, { ...card, wanted: card.shows + 1 }]];
  });
  return { ...cards, ...(Object.fromEntries(again) as LaneState["cards"]) };
}

function shownOf(cards: LaneState["cards"], prompt: string): ShownCard {
  return (Object.hasOwn(cards, prompt) ? cards[prompt] : undefined) ?? { wanted: 1, shows: 0, messages: [] };
}
