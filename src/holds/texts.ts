import { unreachable } from "../lib/assert.ts";
import { escapeName, quoteText } from "./card/escape.ts";
import type { PressRefusal, PressVerdict } from "./press/audience.ts";
import type { Decision, HoldRecord } from "./record/record.ts";

/** What a held call is told to the model, by where its hold stands. Names and notes are quoted: they are other people's words. */
export function textForModel(record: HoldRecord): string {
  const tool = escapeName(record.tool);
  switch (record.status) {
    case "open":
    case "pending":
      return pendingText(record.tool);
    case "approved":
      return approvedText(record.decision);
    case "declined":
      return `${personOf(record.decision)} declined this call of ${tool}${noteOf(record.decision)}. It did not run. Do not retry it or a variant of it; ask what to do instead.`;
    case "expired":
      return `Nobody decided about this call of ${tool} before its deadline. It expired and will not run. Say so; call it again only when asked to.`;
    case "cancelled":
      return record.reason === "stopped" || record.reason === "restored"
        ? `This call of ${tool} was stopped while it waited for approval. It did not run.`
        : record.reason === "edited"
          ? pendingText(record.tool)
          : record.reason === "passed_over"
            ? passedOverText(record.tool)
            : `This call of ${tool} was withdrawn by the tool itself while it waited for approval. It did not run.`;
    case "changed":
      return `What this call of ${tool} would run has changed since it was shown (${record.changes.join(", ")}). It did not run. Ask again: if it is still needed, make the call anew, and a fresh card is shown.`;
    case "unavailable":
      return unavailableText(record.tool);
    default:
      return unreachable(record);
  }
}

/** The result of a call when its turn goes on without the answer. */
export function pendingText(tool: string): string {
  return `This call of ${escapeName(tool)} waits for approval and has not run. End your turn now and say that it waits. Do not retry it: it runs by itself once approved, and you are told.`;
}

/** The result of a call when its turn goes on while nobody can say who its person is. */
export function uncheckedText(tool: string): string {
  return `It cannot be checked now who may use ${escapeName(tool)}, and this call has not run. End your turn now and say so. Do not retry it: it goes on by itself, and you are told.`;
}

/** Goes with the result of a call that a person approved, since the model never sees the card. */
export function approvedText(decision: Decision): string {
  if (decision.rule !== undefined) return `${personOf(decision)} allowed calls like this one in advance.`;
  const how = decision.message === undefined ? "" : " by a message";
  return `${personOf(decision)} approved this call${how}${noteOf(decision)}.`;
}

/** The result of a call that no card can show: the reply will list it. */
export function unshownText(tool: string): string {
  return `No card can be shown here, so this call of ${escapeName(tool)} waits and has not run. Your reply is followed by a list of what waits, with every argument. Say in your reply what you want to do and ask for a yes or no, then end your turn. Do not retry it: it runs by itself once a person said yes, and you are told.`;
}

/** What a call is told that is too long to be listed whole. */
export function unlistableText(tool: string): string {
  return `No card can be shown here, and this call of ${escapeName(tool)} is too long to be listed whole, so nobody can confirm it. It did not run. Shorten its arguments, or say that it has to be done where cards are shown.`;
}

function passedOverText(tool: string): string {
  return `The person was asked to confirm this call of ${escapeName(tool)} and spoke of something else. It was taken off the list and did not run. Call it again only when asked to.`;
}

/** Goes with {@link approvedText} where a person changed what the model had asked for. `shown` is what ran, as JSON text. */
export function editedText(by: string, shown: string): string {
  return `Before that ${quoteText(by)} edited its arguments. It ran with these: ${shown}`;
}

/** An edit that asks more than the presser has. */
export function editNeedsOthersText(minTier: string): string {
  return `As edited, this is not yours to approve: it needs somebody else, at least of the tier ${minTier}. A new card shows your edit to them.`;
}

/** An edit that nobody here could approve. */
export const EDIT_UNAVAILABLE_TEXT =
  "As edited, nobody here may approve this. Nothing was decided; edit it again or decline it.";

/** A press that allows in advance what its card did not show. */
export const ALWAYS_WITH_INPUT_TEXT =
  "Only what a card shows can be allowed in advance: approve the changed arguments alone. Nothing was decided.";

/** A decline that brings arguments. */
export const DECLINE_WITH_INPUT_TEXT = "Declining runs nothing, so it takes no input: leave `input` out, or approve.";

/** Nobody here may approve the call, or no surface could show its card. */
export function unavailableText(tool: string): string {
  return `Nobody can be asked here to approve this call of ${escapeName(tool)}. It did not run. Do not retry it; ask in your reply.`;
}

/** A deadline that had passed before the card was made. */
export function bornExpiredText(tool: string): string {
  return `The deadline of this call of ${escapeName(tool)} had passed before it could be shown. It expired and will not run. Say so.`;
}

/** A deny rule refused the call. */
export function deniedText(tool: string, reason: string): string {
  return `The operator's rules forbid this call of ${escapeName(tool)}: ${quoteText(reason)}. It did not run, and no approval can make it. Do not retry it.`;
}

/** The person whom the turn runs for is not offered the tool any more. */
export function belowTierText(tool: string): string {
  return `The person you work for may not use ${escapeName(tool)} any more. It did not run. Do not retry it; say so.`;
}

/** The rule that allowed such calls was taken away at this very moment. */
export function revokedText(tool: string): string {
  return `The rule that allowed calls of ${escapeName(tool)} like this one was just revoked. It did not run. Call it again: a person is asked.`;
}

/** The same call waits for its answer already. */
export function duplicateText(tool: string): string {
  return `The very same call of ${escapeName(tool)} waits for approval already: this one did not run and shows no second card. Wait for the first; it runs by itself once approved.`;
}

/** The tool was declined twice in this turn. */
export function declinedOutText(tool: string): string {
  return `Calls of ${escapeName(tool)} were declined twice in this turn, so this one was refused without asking. Do not call it again in this turn; ask what to do instead.`;
}

/** An approval that its one execution has used already. */
export function alreadySpentText(tool: string): string {
  return `The approval of this call of ${escapeName(tool)} was used already; it is good for one execution. It did not run again. Do not retry it; ask.`;
}

/** The private line for somebody whose press does not count. */
export function pressRefusalText(reason: PressRefusal): string {
  return `${WHO_MAY[reason]} The card stays open.`;
}

/** Who may decide a card, for somebody who may not. */
export function whoMayText(verdict: Exclude<PressVerdict, { readonly kind: "allowed" }>): string {
  return verdict.kind === "refused" ? WHO_MAY[verdict.reason] : "Nobody here may decide this any more.";
}

const WHO_MAY: Readonly<Record<PressRefusal, string>> = {
  below_tier: "You may not decide this: it needs a higher role than yours.",
  only_speaker: "Only the person who asked may decide this.",
  only_approvers: "Only the people named for this call and the owners may decide it.",
  only_owners: "Only an owner may decide this.",
  not_asked: "Only the person who asked and the owners may decide this.",
};

/** What somebody reads whose answer came too late: who or what ended the hold, and when. */
export function lostText(record: HoldRecord): string {
  switch (record.status) {
    case "open":
    case "pending":
      return "This waits for a decision.";
    case "approved":
    case "declined":
      return `${personOf(record.decision)} ${record.status} this already, at ${timeOf(record.decision.at)}.`;
    case "expired":
      return `This expired at ${timeOf(record.deadline)} without an answer. Ask again for a new card.`;
    case "cancelled":
      if (record.reason === "passed_over") {
        return `This was taken off the list at ${timeOf(record.endedAt)}, since another message came in place of an answer.`;
      }
      return record.reason === "edited"
        ? `This was edited at ${timeOf(record.endedAt)}. Another card stands in its place.`
        : `This was ${ENDED_AS[record.reason]} at ${timeOf(record.endedAt)}.`;
    case "changed":
      return `What would run changed since it was shown (${record.changes.join(", ")}). Ask again for a new card.`;
    case "unavailable":
      return "Nobody can decide this here.";
    default:
      return unreachable(record);
  }
}

const ENDED_AS = {
  stopped: "stopped",
  superseded: "withdrawn",
  restored: "ended, since the conversation was restored from a backup,",
} as const;

/** A press whose note does not fit beside the hold. */
export function noteTooLargeText(excessBytes: number): string {
  return `The note is ${excessBytes} bytes too long to be kept with this decision. Nothing was decided. Shorten it and decide again.`;
}

/** A press that named another digest than the hold's. */
export const STALE_PRESS_TEXT = "That card no longer shows what would run. Look at it again, then decide.";

function personOf(decision: Decision): string {
  return quoteText(decision.by.name);
}

function noteOf({ note }: Decision): string {
  return note === undefined ? "" : ` and said ${quoteText(note)}`;
}

/** @returns ISO 8601 in UTC, or "an unknown time" when the stored instant cannot be read. */
function timeOf(instant: unknown): string {
  const date = new Date(typeof instant === "number" ? instant : Number.NaN);
  return Number.isNaN(date.getTime()) ? "an unknown time" : date.toISOString();
}
