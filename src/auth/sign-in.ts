import { ulid } from "../lib/ulid.ts";
import { decideAdmission } from "../people/provisioning.ts";
import { SESSION_ABSOLUTE_MS } from "../people/session-life.ts";
import type { Config } from "../protocol/config.ts";
import { syncConfiguredOwners } from "../store/configured-owners.ts";
import type { Database } from "../store/database.ts";
import { writeIdentitySignIn } from "../store/sign-in-by-identity.ts";
import type { SignedIn } from "./claim.ts";
import { hashCode } from "./code.ts";
import type { KnownIdentity } from "./link-code.ts";
import { type FillRandom, sha256Hex } from "./secret.ts";
import { hashSessionId, newSessionId } from "./session-id.ts";

export interface SignInPorts {
  readonly db: Database;
  readonly now: number;
  readonly random: FillRandom;
}

/**
 * Signs in whoever a provider has named. Somebody unknown is admitted only as the configuration allows.
 * @param brought what the browser brought along: its old session, and the code of an invitation.
 * @returns undefined when they are not admitted or switched off.
 */
export async function signInByIdentity(
  { db, now, random }: SignInPorts,
  people: Config["people"],
  identity: KnownIdentity,
  brought: { readonly oldSessionId: string | undefined; readonly invitation: string | undefined },
): Promise<SignedIn | undefined> {
  const admission = decideAdmission(people, identity.id);
  const { oldSessionId, invitation } = brought;
  const sessionId = newSessionId(random);
  const principalId = await writeIdentitySignIn(db, {
    now,
    identity,
    newPrincipal: { id: `p_${ulid(now, random)}`, name: identity.display === "" ? "Somebody" : identity.display },
    newTier: admission.tier,
    invitationHash: admission.invitation && invitation !== undefined ? await hashCode(invitation) : undefined,
    sessionHash: await sha256Hex(sessionId),
    oldSessionHash: oldSessionId === undefined ? undefined : await hashSessionId(oldSessionId),
    sweepSessionsBefore: now - SESSION_ABSOLUTE_MS,
    auditId: ulid(now, random),
  });
  if (principalId === undefined) return undefined;
  await syncConfiguredOwners(db, people.owners, { now, id: ulid(now, random) });
  return { sessionId, principalId };
}
