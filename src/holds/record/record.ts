import { utf8Bytes } from "../../lib/bytes.ts";
import { cutText } from "../../lib/cut.ts";
import type { Tier } from "../../people/facts.ts";
import type { HoldStatus } from "../../protocol/cards.ts";
import type { BoundPart, PartPrints } from "../bound/call-seal.ts";

/** Bytes of one serialised record. */
export const MAX_RECORD_BYTES = 4_096;
/** Bytes that opening leaves free, so that every later end of the hold fits. */
export const DECISION_RESERVE_BYTES = 1_024;
/** Bytes that a decision leaves free, so that spending it or a change that makes it void still fits. */
export const AFTER_DECISION_RESERVE_BYTES = 256;
/** Holds of one conversation that may wait for a decision at a time. */
export const MAX_OPEN_HOLDS = 50;
/** UTF-16 units of a person's name that a record keeps. */
export const MAX_PERSON_NAME_UNITS = 64;

/** A person as a hold remembers them. The name is decoration; authority hangs on the principal alone. */
export type HoldPerson = { readonly principalId: string; readonly name: string };

/** An answer given on a card. */
export type Decision = {
  readonly by: HoldPerson;
  readonly at: number;
  readonly note?: string;
  /** Of what was allowed in advance: the rule's id. */
  readonly rule?: string;
  /** Of what was answered by a message: its request key. Nobody pressed anything. */
  readonly message?: string;
};

/** Where a call that no card shows was put before people. */
export type Listing = {
  /** Key of the message that lists it. */
  readonly reply: string;
  /** What the message calls it by. */
  readonly number: number;
  /** When the network showed that message, by the network's clock. */
  readonly at: number;
};

/** What every hold keeps. All of it but `task` stays as it was when the card was made. */
export type HoldBase = {
  /** ULID. */
  readonly id: string;
  /** The task that would run the call. */
  readonly task: number;
  /** The tool task that made the call. Differs from `task` once the call has left its turn. */
  readonly origin: number;
  /** The stored call: the assistant entry that holds it, and its index there. */
  readonly entry: number;
  readonly index: number;
  readonly tool: string;
  readonly digest: string;
  readonly parts: PartPrints;
  /** What the call would do and whom it touches, in the rule's words, not escaped. */
  readonly text: string;
  readonly target: string | null;
  readonly ruleId: string;
  /** Null: nobody spoke. */
  readonly speaker: HoldPerson | null;
  readonly minTier: Tier;
  readonly approvers: readonly string[] | null;
  readonly approval: "speaker" | null;
  readonly askedAt: number;
  readonly deadline: number;
  /** The owner whom somebody handed the question to. Decoration: who may answer does not follow from it. */
  readonly askedOf?: HoldPerson;
  /** The entry that holds what its card shows and the stored call does not say. */
  readonly shown?: number;
  /** Under what a newer call withdraws it: a hash of provider, tool and the rule's key; and its place among all such holds. */
  readonly supersede?: { readonly key: string; readonly seq: number };
  /** It asks again what an ended hold asked, and what had changed then. */
  readonly follows?: { readonly hold: string; readonly changes: readonly Change[] };
  /** Of an ended hold: when it was asked again. */
  readonly askedAgainAt?: number;
  /** The arguments are not the stored call's: a person edited them. The entry holds them. */
  readonly edit?: { readonly entry: number; readonly by: HoldPerson };
  /** No card can show it: it is listed in messages, and a message may answer it. Null: nobody has seen it listed yet. */
  readonly unshown?: { readonly listed: Listing | null };
};

type Answerable = { readonly remindedAt: number | null };

export type OpenHold = HoldBase & Answerable & { readonly status: "open" };
/** The turn went on without the answer; the card stays answerable for the release task. */
export type PendingHold = HoldBase & Answerable & { readonly status: "pending"; readonly releasedAt: number };
/** `spentAt` is set by the one execution that the approval is good for. */
export type ApprovedHold = HoldBase & {
  readonly status: "approved";
  readonly decision: Decision;
  readonly spentAt: number | null;
};
export type DeclinedHold = HoldBase & { readonly status: "declined"; readonly decision: Decision };
export type ExpiredHold = HoldBase & { readonly status: "expired"; readonly endedAt: number };
export type CancelledHold = HoldBase & {
  readonly status: "cancelled";
  readonly endedAt: number;
  readonly reason: CancelReason;
  /** The hold that stands in its place. */
  readonly successor?: string;
};
/** `decision` is the approval that the change made void, when there was one. */
export type ChangedHold = HoldBase & {
  readonly status: "changed";
  readonly endedAt: number;
  readonly changes: readonly Change[];
  readonly decision?: Decision;
};
export type UnavailableHold = HoldBase & {
  readonly status: "unavailable";
  readonly endedAt: number;
  readonly reason: UnavailableReason;
};

/**
 * `stopped`: the turn or the task was stopped. `superseded`: the plugin withdrew its call. `edited`: another card shows it
 * now. `passed_over`: it was listed, and somebody who could have confirmed it spoke of something else. `restored`: the
 * conversation is a backup's, and the call may have been decided since.
 */
export type CancelReason = "stopped" | "superseded" | "edited" | "passed_over" | "restored";
/** What differs from what was shown: a bound part, the approver's authority, or a deny rule that came since. */
export type Change = BoundPart | "approver" | "deny rule";
/** Nobody may answer, or no surface could show the card. */
export type UnavailableReason = "nobody" | "not_shown";

export type AnswerableHold = OpenHold | PendingHold;
export type EndedHold = ApprovedHold | DeclinedHold | ExpiredHold | CancelledHold | ChangedHold | UnavailableHold;
/** A hold by where it stands. Plain JSON. */
export type HoldRecord = AnswerableHold | EndedHold;

/** True while a person may still decide. */
export function isAnswerable(record: HoldRecord): record is AnswerableHold {
  return record.status === "open" || record.status === "pending";
}

/** True when both are the same hold, with nothing decided in between. */
export function standsAlike(a: HoldRecord | undefined, b: HoldRecord | undefined): boolean {
  return a?.id === b?.id && a?.status === b?.status && a?.deadline === b?.deadline;
}

/** True for a hold that ended without anybody's answer, where asking again may come to something else. */
export function mayBeAskedAgain(record: HoldRecord): boolean {
  const isOver = record.status === "expired" || record.status === "changed";
  return isOver && record.speaker !== null && record.askedAgainAt === undefined;
}

/** Size of a record as it is stored. */
export function recordBytes(record: HoldRecord): number {
  return utf8Bytes(JSON.stringify(record));
}

/** The part of a record that no status adds to. */
export function baseOf(record: HoldRecord): HoldBase {
  return {
    id: record.id,
    task: record.task,
    origin: record.origin,
    entry: record.entry,
    index: record.index,
    tool: record.tool,
    digest: record.digest,
    parts: record.parts,
    text: record.text,
    target: record.target,
    ruleId: record.ruleId,
    speaker: record.speaker,
    minTier: record.minTier,
    approvers: record.approvers,
    approval: record.approval,
    askedAt: record.askedAt,
    deadline: record.deadline,
    ...(record.edit && { edit: record.edit }),
    ...(record.shown !== undefined && { shown: record.shown }),
    ...(record.supersede !== undefined && { supersede: record.supersede }),
    ...(record.unshown && { unshown: record.unshown }),
    ...(record.askedOf && { askedOf: record.askedOf }),
    ...(record.follows && { follows: record.follows }),
    ...(record.askedAgainAt !== undefined && { askedAgainAt: record.askedAgainAt }),
  };
}

/** The status a card shows: a call that waits outside its turn is still open. */
export function cardStatus(record: HoldRecord): HoldStatus {
  return record.status === "pending" ? "open" : record.status;
}

/** A person with a name short enough to store many times. */
export function keptPerson({ principalId, name }: HoldPerson): HoldPerson {
  return { principalId, name: cutText(name, MAX_PERSON_NAME_UNITS) };
}
