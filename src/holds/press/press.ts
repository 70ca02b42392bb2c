import type { HostTx } from "../../kernel/index.ts";
import type { Json } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { ErrorCode } from "../../protocol/frames.ts";
import type { RefusedPress } from "../audit/hold-audit.ts";
import type { BoundCall } from "../bound/bound-call.ts";
import { heldCall } from "../bound/held-call.ts";
import { changesSince } from "../gate/changes-since.ts";
import { audienceOf, inspectCall } from "../gate/inspect-call.ts";
import type { AuditedHost, HoldsHost, KnownPerson } from "../holds-host.ts";
import type { AllowWish } from "../policy/allow-rule.ts";
import { decideHold, type HoldStep } from "../record/decide-hold.ts";
import { countDecline } from "../record/declines.ts";
import { type HoldsNamespace, holdNamed, putRecord } from "../record/hold-state.ts";
import { type Change, type HoldRecord, isAnswerable } from "../record/record.ts";
import { lostText, noteTooLargeText, pressRefusalText, STALE_PRESS_TEXT, unavailableText } from "../texts.ts";
import { type Audience, decidePress, type PressVerdict } from "./audience.ts";
import { saveRule } from "./save-rule.ts";

/** An answer on a card, by a person as the directory knows them now. */
export interface CardPress {
  readonly hold: string;
  readonly digest: string;
  readonly decision: "approve" | "decline";
  readonly note?: string;
  /** With an approval: allow calls like this one in advance. */
  readonly always?: AllowWish;
  /** Nobody pressed: a message said so, of this request key. */
  readonly message?: string;
  readonly presser: KnownPerson;
}

export interface PressRefused {
  readonly code: ErrorCode;
  readonly message: string;
}

export const UNKNOWN_HOLD: PressRefused = {
  code: "unknown_hold",
  message: "There is no such card, or it ended long ago.",
};

export const GONE: PressRefused = {
  code: "forbidden",
  message: "You may not decide anything here any more. Nothing was decided.",
};

/**
 * Decides a card: who may, whether it still shows what would run, and who was first. One commit; the parked call goes on
 * from there. A refused press changes nothing. @throws when the directory cannot be read: the card stays open.
 */
export async function pressCard(
  host: AuditedHost,
  namespace: HoldsNamespace,
  press: CardPress,
): Promise<Result<Record<string, never>, PressRefused>> {
  const seen = holdNamed(host.read().get(namespace), press.hold);
  if (!seen) return err(UNKNOWN_HOLD);
  const refused = await refusePress(host, namespace, seen, press.presser);
  if (refused) return err(refused);
  const look = press.decision === "approve" && isAnswerable(seen) ? await lookAgain(host, seen) : NOT_LOOKED;
  const { changes, call } = look;
  const now = await presserNow(host, namespace, { seen, presser: press.presser, look });
  if (!now.ok) return now;
  const again = { ...press, presser: now.value };
  return commitPress(host, namespace, again, changes, (tx, hold) => saveRule(host, tx, again, { hold, call }));
}

/** The presser once more, and whether they may still: looking took its time. */
export async function presserNow(
  host: AuditedHost,
  namespace: HoldsNamespace,
  {
    seen,
    presser,
    look: { audience, speaker },
  }: {
    readonly seen: HoldRecord;
    readonly presser: KnownPerson;
    readonly look: Pick<Look, "audience" | "speaker">;
  },
): Promise<Result<KnownPerson, PressRefused>> {
  if (!audience) return ok(presser);
  const isSpeaker = seen.speaker?.principalId === presser.principalId;
  const now = isSpeaker ? speaker : await host.person(presser.principalId);
  if (!now) return err(GONE);
  const refused = refusalBy(decidePress(audience, now), seen);
  return refused ? err(tellRefused(host, namespace, seen, { presser: now, ...refused })) : ok(now);
}

/** Why this person may not answer this card now; the refusal is told in the audit. */
export async function refusePress(
  host: AuditedHost,
  namespace: HoldsNamespace,
  seen: HoldRecord,
  presser: KnownPerson,
): Promise<PressRefused | undefined> {
  const refused = await refusalOf(host, seen, presser);
  return refused && tellRefused(host, namespace, seen, { presser, ...refused });
}

function tellRefused(
  host: AuditedHost,
  namespace: HoldsNamespace,
  seen: HoldRecord,
  { presser, reason, answer }: RefusedAnswer & { readonly presser: KnownPerson },
): PressRefused {
  host.commit((tx) => host.audit.refuse(tx, holdNamed(tx.get(namespace), seen.id) ?? seen, presser, reason));
  return answer;
}

/**
 * Decides in one commit. Where something changed since the card was shown, it ends as changed, whatever was pressed.
 * @param whenApproved belongs to the approval: what it refuses is not decided.
 */
export function commitPress(
  host: AuditedHost,
  namespace: HoldsNamespace,
  press: CardPress,
  changes: readonly Change[],
  whenApproved: (tx: HostTx, hold: HoldRecord) => Result<void, string> = () => ok(undefined),
): Result<Record<string, never>, PressRefused> {
  let answer: Result<Record<string, never>, PressRefused> = ok({});
  host.commit((tx) => {
    answer = pressWithin({ host, namespace, tx }, press, changes, whenApproved);
  });
  return answer;
}

/** As {@link commitPress}, inside a commit that does more. */
export function pressWithin(
  { host, namespace, tx }: { readonly host: AuditedHost; readonly namespace: HoldsNamespace; readonly tx: HostTx },
  press: CardPress,
  changes: readonly Change[],
  whenApproved: (tx: HostTx, hold: HoldRecord) => Result<void, string>,
): Result<Record<string, never>, PressRefused> {
  const record = holdNamed(tx.get(namespace), press.hold);
  if (!record) return ok({});
  // Taken out of the conversation since the directory answered.
  if (!host.isHere(press.presser)) return err(GONE);
  const { digest, note, message, presser } = press;
  const by = { principalId: presser.principalId, name: presser.name };
  const said = { ...(note !== undefined && { note }), ...(message !== undefined && { message }) };
  const command = { kind: press.decision, by, digest, ...said } as const;
  const step = decideHold(record, changes.length > 0 ? { kind: "drift", changes } : command, tx.now);
  const isApproval = step.next.status === "approved" && step.outcome.kind === "ended";
  const also = isApproval ? whenApproved(tx, step.next) : ok(undefined);
  if (!also.ok) return err({ code: "bad_request", message: `${also.error} Nothing was decided.` });
  if (step.next !== record) putRecord(host, tx, namespace, step.next, presser);
  const lost = lostTo(step);
  if (lost) host.audit.refuse(tx, step.next, presser, lost);
  if (step.next === record) return answerOf(step, changes);
  // A call that left its turn counts for no turn: the one that runs now may be another.
  if (step.next.status === "declined" && record.status === "open") {
    const { declines } = tx.get(namespace);
    tx.set(namespace, { declines: countDecline(declines, host.turn(), record.tool) });
  }
  tx.wake(record.task);
  return answerOf(step, changes);
}

interface RefusedAnswer {
  readonly answer: PressRefused;
  readonly reason: RefusedPress;
}

/** Why this person may not answer this card, by the tiers of this moment. */
export async function refusalOf(
  host: HoldsHost,
  record: HoldRecord,
  presser: KnownPerson,
): Promise<RefusedAnswer | undefined> {
  return refusalBy(await verdictOn(host, record, presser), record);
}

function refusalBy(verdict: PressVerdict, record: HoldRecord): RefusedAnswer | undefined {
  switch (verdict.kind) {
    case "allowed":
      return undefined;
    case "refused":
      return { answer: { code: "forbidden", message: pressRefusalText(verdict.reason) }, reason: verdict.reason };
    case "unavailable":
      return { answer: { code: "forbidden", message: unavailableText(record.tool) }, reason: "nobody_may" };
  }
}

/** Whether this person's answer to this card counts, by the tiers of this moment. @throws when the directory cannot be read. */
export async function verdictOn(host: HoldsHost, record: HoldRecord, presser: KnownPerson): Promise<PressVerdict> {
  const { speaker } = record;
  const isSpeaker = speaker?.principalId === presser.principalId;
  const person = isSpeaker ? presser : speaker ? await host.person(speaker.principalId) : undefined;
  return decidePress(audienceOf(host, record, person), presser);
}

/** Why a press that its person was allowed changed nothing all the same. */
export function lostTo({ outcome }: HoldStep): RefusedPress | undefined {
  if (outcome.kind === "stale") return "other_digest";
  return outcome.kind === "lost" ? "too_late" : undefined;
}

/** What would run now, and what of it differs from what the card showed. */
interface Look {
  readonly call: BoundCall | undefined;
  readonly changes: readonly Change[];
  /** Who may answer it now. Undefined: it would not run as shown. */
  readonly audience: Audience | undefined;
  /** Whom it runs for, as they are now. */
  readonly speaker: KnownPerson | undefined;
}

const NOT_LOOKED: Look = { call: undefined, changes: [], audience: undefined, speaker: undefined };

export async function lookAgain(host: HoldsHost, record: HoldRecord): Promise<Look> {
  const call = heldCall(host, record);
  if (!call) return { ...NOT_LOOKED, changes: ["tool"] };
  const found = await inspectCall(host, { ...call, actor: record.speaker?.principalId ?? "" });
  const changes = changesSince(record, found.described, found.seal);
  const { bound, speaker, audience } = found;
  return { call: bound, changes, speaker, audience: changes.length > 0 ? undefined : audience };
}

export function answerOf(step: HoldStep, changes: readonly Json[]): Result<Record<string, never>, PressRefused> {
  const { outcome, next } = step;
  switch (outcome.kind) {
    // Whether this press or the gate found the change first: nothing runs, and the presser is told.
    case "ended":
    case "repeated":
      return changes.length > 0 ? err({ code: "changed", message: lostText(next) }) : ok({});
    case "lost":
      return err({ code: next.status === "expired" ? "expired" : "already_decided", message: lostText(next) });
    case "stale":
      return err({ code: "changed", message: STALE_PRESS_TEXT });
    case "too_large":
      return err({ code: "bad_request", message: noteTooLargeText(outcome.excessBytes) });
    case "early":
    case "released":
    case "reminded":
      return ok({});
  }
}
