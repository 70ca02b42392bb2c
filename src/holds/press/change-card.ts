import { unreachable } from "../../lib/assert.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { AuditedHost, KnownPerson } from "../holds-host.ts";
import { type ExtendRefusal, extendHold, MAX_EXTENSION_MS } from "../record/extend-hold.ts";
import { type HoldsNamespace, holdNamed, putRecord } from "../record/hold-state.ts";
import { type AnswerableHold, type HoldRecord, isAnswerable, keptPerson } from "../record/record.ts";
import { lostText } from "../texts.ts";
import { GONE, type PressRefused, refusePress, UNKNOWN_HOLD } from "./press.ts";

/** What somebody who may answer a card may do with it besides. */
export type CardChange =
  | { readonly kind: "extend"; readonly until: number }
  /** `to`: a principal, who must be an owner. */
  | { readonly kind: "hand_over"; readonly to: string };

type Answer = Result<Record<string, never>, PressRefused>;

/**
 * Extends a card's deadline or hands the question to an owner. Neither decides anything nor changes what would run or who may
 * answer. @throws when the directory cannot be read: nothing is changed.
 */
export async function changeCard(
  host: AuditedHost,
  namespace: HoldsNamespace,
  { hold, change, presser }: { readonly hold: string; readonly change: CardChange; readonly presser: KnownPerson },
): Promise<Answer> {
  const seen = holdNamed(host.read().get(namespace), hold);
  if (!seen) return err(UNKNOWN_HOLD);
  const refused = await refusePress(host, namespace, seen, presser);
  if (refused) return err(refused);
  const owner = change.kind === "hand_over" ? await findOwner(host, change.to) : undefined;
  if (owner && !owner.ok) return owner;
  let answer: Answer = err(UNKNOWN_HOLD);
  host.commit((tx) => {
    const record = holdNamed(tx.get(namespace), hold);
    if (!record) return;
    if (!host.isHere(presser)) {
      answer = err(GONE);
      return;
    }
    const changed = owner?.ok ? handOver(record, owner.value) : extend(record, change, tx.now);
    answer = changed.ok ? ok({}) : changed;
    if (!changed.ok || changed.value === record) return;
    putRecord(host, tx, namespace, changed.value, presser);
    if (owner?.ok) tx.emit(namespace, "handed_over", { hold, to: owner.value.principalId, by: presser.principalId });
    // What waits for the old deadline must wait for the new one.
    else tx.wake(record.task);
  });
  return answer;
}

/** Whom a question may be handed to: in a shared conversation any owner may answer what an audience with owners may. */
async function findOwner(host: AuditedHost, principalId: string): Promise<Result<KnownPerson, PressRefused>> {
  if (host.visibility === "private") {
    return err({
      code: "bad_request",
      message: "In a private conversation only its own person answers: decide it there.",
    });
  }
  const person = await host.person(principalId);
  if (person?.tier === "owner") return ok(person);
  return err({ code: "bad_request", message: "A card is handed to an owner only, and this person is none." });
}

function handOver(record: HoldRecord, owner: KnownPerson): Result<AnswerableHold, PressRefused> {
  if (!isAnswerable(record)) return err(ended(record));
  if (record.approval === "speaker") {
    return err({
      code: "bad_request",
      message: "Only the person who asked may decide this, so it is handed to nobody.",
    });
  }
  if (record.askedOf?.principalId === owner.principalId) return ok(record);
  return ok({ ...record, askedOf: keptPerson(owner) });
}

function extend(record: HoldRecord, change: CardChange, now: number): Result<AnswerableHold, PressRefused> {
  if (change.kind !== "extend") throw new Error("Bug: a card is handed to nobody");
  const extended = extendHold(record, change.until, now);
  return extended.ok ? extended : err(extendRefusal(extended.error, record));
}

function extendRefusal(reason: ExtendRefusal, record: HoldRecord): PressRefused {
  switch (reason) {
    case "ended":
      return ended(record);
    case "not_later":
      return {
        code: "bad_request",
        message: `It can be decided until ${timeOf(record.deadline)} already: name a later time.`,
      };
    case "too_far": {
      const latest = timeOf(record.askedAt + MAX_EXTENSION_MS);
      return { code: "bad_request", message: `A card stays open for 7 days at most: name a time up to ${latest}.` };
    }
    default:
      return unreachable(reason);
  }
}

function ended(record: HoldRecord): PressRefused {
  if (isAnswerable(record)) return { code: "expired", message: `This expired at ${timeOf(record.deadline)}.` };
  return { code: record.status === "expired" ? "expired" : "already_decided", message: lostText(record) };
}

function timeOf(instant: number): string {
  return new Date(instant).toISOString();
}
