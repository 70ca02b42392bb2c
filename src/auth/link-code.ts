import { err, ok, type Result } from "../lib/result.ts";
import { CHANGED, type ChangePorts } from "../people/change-person.ts";
import type { Caller } from "../people/facts.ts";
import { MAX_IDENTITIES } from "../people/max-identities.ts";
import type { Refused } from "../people/may-act.ts";
import type { Database } from "../store/database.ts";
import { type LinkCodeRow, linkIdentity, readLinkCode, spendLinkCode, writeLinkCode } from "../store/link-codes.ts";
import { readPersonRecord } from "../store/people.ts";
import { takeTry } from "../store/rate-windows.ts";
import { hashCode, newCode } from "./code.ts";
import type { FillRandom } from "./secret.ts";

/** 40 bits are 8 characters; with ten tries a minute that is enough for ten minutes. */
const CODE_BITS = 40;
const CODE_MS = 10 * 60 * 1000;
const TRIES = { limit: 10, windowMs: 60_000 } as const;

const UNKNOWN: Refused = {
  code: "not_found",
  message: "This code is wrong, used up or older than 10 minutes. Ask for a new one where you saw it.",
};
const TAKEN: Refused = {
  code: "conflict",
  message: "This account belongs to a person here already. An owner can unlink it there first.",
};
const NOT_LINKED: Refused = {
  code: "conflict",
  message: `This account belongs to a person here already, or you have ${MAX_IDENTITIES} identities, which is the most.`,
};
const TOO_MANY: Refused = {
  code: "forbidden",
  message: `You have ${MAX_IDENTITIES} identities, which is the most. Unlink one first.`,
};

/** An identity that a surface or a provider vouches for. */
export interface KnownIdentity {
  /** `<provider>:<subject>` */
  readonly id: string;
  /** How the provider shows the person; decoration. */
  readonly display: string;
}

/** A code for whoever holds this identity, to be shown to them alone. It replaces the one before. */
export async function issueLinkCode(
  ports: { readonly db: Database; readonly now: number; readonly random: FillRandom },
  identity: KnownIdentity,
): Promise<string> {
  const { db, now, random } = ports;
  const code = newCode(CODE_BITS, random);
  const { id, display } = identity;
  await writeLinkCode(db, { hash: await hashCode(code), identity: id, display, expiresAt: now + CODE_MS }, now);
  return code;
}

/** What a code would link. Links nothing. */
export async function previewLinkCode(
  ports: { readonly db: Database; readonly now: number },
  caller: Caller,
  code: string,
): Promise<Result<KnownIdentity, Refused>> {
  const found = await findCode(ports, caller, code);
  return found.ok ? ok({ id: found.value.identity, display: found.value.display }) : found;
}

/** Links what the person was shown. @param identity the one that the preview named. */
export async function confirmLinkCode(
  ports: ChangePorts,
  caller: Caller,
  { code, identity }: { readonly code: string; readonly identity: string },
): Promise<Result<void, Refused>> {
  const { db, now, id } = ports;
  const found = await findCode(ports, caller, code);
  if (!found.ok) return found;
  if (found.value.identity !== identity) return err(CHANGED);
  const { principalId } = caller;
  const audit = { id, at: now, actor: principalId, action: "link", target: principalId, detail: { identity } };
  const { hash, display } = found.value;
  const spent = await spendLinkCode(db, hash, { identity, display, limit: MAX_IDENTITIES, audit });
  return spent ? ok(undefined) : err(CHANGED);
}

/** Links an identity that a provider has just vouched for to whoever is signed in. */
export async function linkProven(
  ports: ChangePorts,
  caller: Caller,
  proven: KnownIdentity,
): Promise<Result<void, Refused>> {
  const { db, now, id } = ports;
  const { principalId } = caller;
  const audit = {
    id,
    at: now,
    actor: principalId,
    action: "link",
    target: principalId,
    detail: { identity: proven.id },
  };
  const { display } = proven;
  const linked = await linkIdentity(db, { identity: proven.id, display, limit: MAX_IDENTITIES, audit });
  return linked ? ok(undefined) : err(NOT_LINKED);
}

async function findCode(
  { db, now }: { readonly db: Database; readonly now: number },
  { principalId }: Caller,
  code: string,
): Promise<Result<LinkCodeRow, Refused>> {
  if (!(await takeTry(db, { ...TRIES, name: `link-code ${principalId}` }, now))) {
    return err({
      code: "rate_limited",
      message: "More than 10 codes were tried in a minute. Wait a minute, then try again.",
      retryAfterS: 60,
    });
  }
  const row = await readLinkCode(db, await hashCode(code), now);
  if (row === undefined) return err(UNKNOWN);
  if (row.linkedTo !== null) return err(TAKEN);
  const person = await readPersonRecord(db, principalId);
  if ((person?.identities.length ?? 0) >= MAX_IDENTITIES) return err(TOO_MANY);
  return ok(row);
}
