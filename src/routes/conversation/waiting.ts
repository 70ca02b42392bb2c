import { mayAnswer } from "../../holds/press/may-answer.ts";
import type { PersonFacts } from "../../people/facts.ts";
import { mayAct } from "../../people/may-act.ts";
import { idsOf, lowerTier } from "../../people/other-ids.ts";
import { type WaitingCard, waitingShape } from "../../protocol/waiting.ts";
import { type ListedCard, listOpenCards } from "../../store/open-cards.ts";
import { json } from "../answers.ts";
import { signedInRoute } from "../route.ts";
import { nothing } from "../shapes.ts";

/** Cards that are looked through, and those that are listed of them. */
const MAX_CANDIDATES = 500;
const MAX_LISTED = 100;

export const waiting = signedInRoute({
  method: "GET",
  path: "/api/v1/waiting",
  summary: "The open cards and questions that one may answer now, in all conversations, oldest first.",
  query: nothing,
  answers: { 200: waitingShape },
  async handle({ db, person, now }) {
    const reader = { ids: idsOf(person), isOwner: person.tier === "owner" };
    const found = await listOpenCards(db, reader, { now, limit: MAX_CANDIDATES });
    const cards = found.filter((card) => isForThem(card, person, now));
    const more = found.length === MAX_CANDIDATES || cards.length > MAX_LISTED;
    return json({ cards: cards.slice(0, MAX_LISTED).map(showCard), more });
  },
});

/** Whether they may see the conversation, and would be heard. */
function isForThem(card: ListedCard, person: PersonFacts, now: number): boolean {
  const { conversation: key, visibility, owner, isMember, minTier, approvers, approval, askedBy, speaker } = card;
  const members = isMember ? [person.principalId] : [];
  if (!mayAct(person, "decide", { key, visibility, owner, members }, now).ok) return false;
  const known = askedBy !== null && speaker !== null && speaker.disabledAt === null;
  const tier = lowerTier(speaker?.tier ?? "guest", speaker?.formerTier ?? "owner");
  const asks = known ? { principalId: askedBy, tier, reachable: true } : null;
  return mayAnswer({ visibility, speaker: asks, minTier, approvers, approval }, person);
}

function showCard(card: ListedCard): WaitingCard {
  const { id, title, visibility, kind, hold, tool, action, askedAt, deadline, minTier, speaker } = card;
  const where = {
    conversation: id,
    title,
    shared: visibility === "shared",
    askedBy: speaker?.name ?? "",
    askedAt,
    deadline,
  };
  if (kind === "question") return { kind, ...where, prompt: hold, words: action };
  return { kind, ...where, hold, tool, action, minTier };
}
