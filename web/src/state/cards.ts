import { unreachable } from "../../../src/lib/assert.ts";
import type { CardChoice, CardChoices, HoldCard, HoldsView } from "../../../src/protocol/cards.ts";
import type { ChatView, ToolResultData, View, ViewEntry } from "../../../src/protocol/view.ts";

const NO_CARDS: readonly HoldCard[] = [];

/** The cards of a view: open ones first, then decided ones whose result is not placed yet. */
export function cardsOf(view: View): readonly HoldCard[] {
  const holds = view.plugins.holds as unknown as Partial<HoldsView> | undefined;
  return holds?.cards ?? NO_CARDS;
}

export function openCards(view: View): readonly HoldCard[] {
  const cards = cardsOf(view);
  return cards.some((card) => card.status === "open") ? cards.filter((card) => card.status === "open") : NO_CARDS;
}

/** What the person may do with each card, by hold, as the server told it. A card that is not in it was not told of yet. */
export type Choices = ReadonlyMap<string, CardChoices>;

export const NO_CHOICES: Choices = new Map();

export function mayDo(choices: Choices, hold: string, what: CardChoice): boolean {
  return choices.get(hold)?.may.includes(what) === true;
}

/** The ended card of a call that may be asked again, by the call's result. */
export function askableAgain(view: View, result: ViewEntry): string | undefined {
  const { again } = (view.plugins.holds ?? {}) as unknown as Partial<HoldsView>;
  const data = result.data as Partial<ToolResultData> | undefined;
  return again?.find(({ entry, index }) => entry === data?.entry && index === data.index)?.hold;
}

/** Title, model and thinking level of a conversation, where it has them. */
export function chatOf(view: View | undefined): Partial<ChatView> {
  return (view?.plugins.chat as unknown as Partial<ChatView> | undefined) ?? {};
}

/** Names of the arguments that must be opened whole before Approve. */
function cutArguments(card: HoldCard): readonly string[] {
  return card.args.filter((arg) => arg.cut !== undefined).map((arg) => arg.name);
}

/** What stands between a person and the Approve button. */
export type Readiness =
  | { readonly can: true }
  | { readonly can: false; readonly why: "decided" | "expired" | "unseen" | "sending"; readonly words: string };

export interface CardSituation {
  readonly nowMs: number;
  /** Arguments opened whole on this page. */
  readonly seen: ReadonlySet<string>;
  /** A decision is on its way. */
  readonly isSending: boolean;
}

/** Whether a card can be approved here and now. Declining needs less: see {@link canDecline}. */
export function approveReadiness(card: HoldCard, situation: CardSituation): Readiness {
  if (card.status !== "open") return { can: false, why: "decided", words: describeEnd(card) };
  if (situation.nowMs >= card.deadline) return { can: false, why: "expired", words: "The time to decide is over." };
  if (situation.isSending) return { can: false, why: "sending", words: "Sending your decision…" };
  const unseen = cutArguments(card).filter((name) => !situation.seen.has(name));
  if (unseen.length > 0) {
    return { can: false, why: "unseen", words: `View ${unseen.join(", ")} in full before you approve.` };
  }
  return { can: true };
}

export function canDecline(card: HoldCard, situation: CardSituation): boolean {
  return card.status === "open" && situation.nowMs < card.deadline && !situation.isSending;
}

const DAY_MS = 24 * 3_600_000;
/** How long after it was asked a card may stay open. */
const MAX_OPEN_MS = 7 * DAY_MS;

/** A day more for a card, or what is left of what it may have; undefined: it has all of that. */
export function laterDeadline({ askedAt, deadline }: Pick<HoldCard, "askedAt" | "deadline">): number | undefined {
  const later = Math.min(deadline + DAY_MS, askedAt + MAX_OPEN_MS);
  return later > deadline ? later : undefined;
}

/** How a card ended, in a sentence. */
export function describeEnd(card: HoldCard): string {
  const by = card.decision?.by;
  switch (card.status) {
    case "open":
      return "Waiting for a decision.";
    case "approved":
      return by === undefined ? "Approved." : `Approved by ${by}.`;
    case "declined":
      return by === undefined ? "Declined. It did not run." : `Declined by ${by}. It did not run.`;
    case "expired":
      return "Expired. Nobody decided in time, and it did not run.";
    case "cancelled":
      return card.withdrawn ? "Withdrawn by what asked for it. It did not run." : "Cancelled. It did not run.";
    case "changed":
      return "What would run changed after it was shown. It did not run.";
    case "unavailable":
      return "Nobody could be asked. It did not run.";
    default:
      return unreachable(card.status);
  }
}
