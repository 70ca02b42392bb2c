import { err, ok, type Result } from "../lib/result.ts";
import type { Database } from "../store/database.ts";
import { countOtherOwners, readPersonRecord } from "../store/people.ts";
import { type PersonChange, writeOwnersChange, writeOwnUnlink } from "../store/person-changes.ts";
import { decideChange } from "./decide-change.ts";
import type { Caller } from "./facts.ts";
import type { Refused } from "./may-act.ts";

/** What a change needs from outside. */
export interface ChangePorts {
  readonly db: Database;
  readonly now: number;
  /** A fresh ULID, for the line of audit. */
  readonly id: string;
}

export const CHANGED: Refused = {
  code: "conflict",
  message: "This has changed since it was shown. Look at it again, then decide.",
};
export const NO_PERSON: Refused = { code: "not_found", message: "There is no such person." };

/** An owner changes something about a person. @param actor their principal. */
export async function changePerson(
  ports: ChangePorts,
  actor: string,
  target: string,
  change: PersonChange,
): Promise<Result<void, Refused>> {
  const { db, now, id } = ports;
  const [person, otherOwners] = await Promise.all([readPersonRecord(db, target), countOtherOwners(db, target)]);
  if (person === undefined) return err(NO_PERSON);
  const planned = decideChange(person, change, otherOwners);
  if (!planned.ok) return planned;
  if (planned.value.kind === "nothing") return ok(undefined);
  const { action, detail, needsOtherOwner } = planned.value;
  const written = await writeOwnersChange(db, {
    change,
    audit: { id, at: now, actor, action, target, detail },
    seen: { tier: person.tier, disabled: person.disabledAt !== null },
    needsOtherOwner,
  });
  return written ? ok(undefined) : err(CHANGED);
}

/** A person gives up one of their own identities. */
export async function unlinkOwn(ports: ChangePorts, caller: Caller, identity: string): Promise<Result<void, Refused>> {
  const { db, now, id } = ports;
  const { principalId } = caller;
  if (identity === caller.identity) {
    return err({
      code: "forbidden",
      message: "You are signed in with this one. Sign in with another one first, then unlink it.",
    });
  }
  const person = await readPersonRecord(db, principalId);
  if (person?.identities.some((own) => own.id === identity) !== true) {
    return err({ code: "not_found", message: "You have no such identity." });
  }
  const audit = { id, at: now, actor: principalId, action: "unlink", target: principalId, detail: { identity } };
  const written = await writeOwnUnlink(db, { identity, keep: caller.identity, audit });
  return written ? ok(undefined) : err(CHANGED);
}
