import { and, eq, gt, isNull, lte, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { identities } from "./identities.ts";
import { invitations } from "./invitations.ts";
import { peopleAudit } from "./people-audit.ts";
import { principals } from "./principals.ts";
import { sessions } from "./sessions.ts";

/** Everything that one sign-in by a provider writes. */
export interface IdentitySignIn {
  readonly now: number;
  readonly identity: { readonly id: string; readonly display: string };
  /** The principal to make when the identity belongs to nobody and may be admitted. */
  readonly newPrincipal: { readonly id: string; readonly name: string };
  /** The tier of somebody new without an invitation; undefined: they are not admitted. */
  readonly newTier: "guest" | "member" | "owner" | undefined;
  /** Of an invitation that may admit somebody new; undefined: none counts. */
  readonly invitationHash: string | undefined;
  readonly sessionHash: string;
  /** The session that the browser brought along, to be ended. */
  readonly oldSessionHash: string | undefined;
  /** Sessions made before this are swept. */
  readonly sweepSessionsBefore: number;
  /** ULID for the line of audit of somebody new. */
  readonly auditId: string;
}

/**
 * Signs the person of an identity in, and admits them first where that is allowed, in one transaction. An invitation is
 * spent by making somebody new, and by nothing else.
 * @returns the principal, or undefined when nobody was signed in.
 */
export async function writeIdentitySignIn(db: Database, signIn: IdentitySignIn): Promise<string | undefined> {
  const { now, identity, newPrincipal, newTier, sessionHash } = signIn;
  const ownerOf = sql`(select ${identities.principalId} from ${identities} where ${identities.id} = ${identity.id})`;
  const isNobodys = sql`${ownerOf} is null`;
  const isOpen = and(
    eq(invitations.hash, signIn.invitationHash ?? ""),
    isNull(invitations.spentBy),
    gt(invitations.expiresAt, now),
    isNobodys,
  );
  const invitedTier = sql`(select ${invitations.tier} from ${invitations} where ${invitations.spentBy} = ${newPrincipal.id})`;
  const tier = newTier === "owner" ? sql`'owner'` : sql`coalesce(${invitedTier}, ${newTier ?? null})`;
  const configured = newTier === "owner" ? 1 : 0;
  const isMade = sql`exists (select 1 from ${principals} where ${principals.id} = ${newPrincipal.id})`;
  const hasEntered = sql`exists (select 1 from ${sessions} where ${sessions.hash} = ${sessionHash})`;
  const mayEnter = sql`exists (select 1 from ${principals} where ${principals.id} = ${ownerOf} and ${principals.disabledAt} is null)`;
  // The columns of each `select` stand in the order of their table's.
  const results = await db.batch([
    db.update(invitations).set({ spentBy: newPrincipal.id }).where(isOpen),
    db
      .insert(principals)
      .select(
        sql`select ${newPrincipal.id}, ${newPrincipal.name}, ${tier}, ${now}, null, ${now}, ${configured}, null where ${isNobodys} and ${tier} is not null`,
      ),
    db
      .insert(identities)
      .select(sql`select ${identity.id}, ${newPrincipal.id}, ${now}, ${identity.display}, ${now} where ${isMade}`),
    db
      .insert(peopleAudit)
      .select(
        sql`select ${signIn.auditId}, ${now}, ${newPrincipal.id}, 'join', ${newPrincipal.id}, json_object('identity', ${identity.id}, 'tier', ${principals.tier}) from ${principals} where ${principals.id} = ${newPrincipal.id}`,
      ),
    db
      .insert(sessions)
      .select(sql`select ${sessionHash}, ${ownerOf}, ${identity.id}, ${now}, ${now}, null, null where ${mayEnter}`),
    db
      .update(identities)
      .set({ display: identity.display, lastSeenAt: now })
      .where(and(eq(identities.id, identity.id), hasEntered)),
    db.update(principals).set({ lastSeenAt: now }).where(sql`${principals.id} = ${ownerOf} and ${hasEntered}`),
    db
      .update(sessions)
      .set({ revokedAt: now })
      .where(and(eq(sessions.hash, signIn.oldSessionHash ?? ""), isNull(sessions.revokedAt), hasEntered)),
    db.delete(sessions).where(and(lte(sessions.createdAt, signIn.sweepSessionsBefore), hasEntered)),
    db.select({ principalId: sessions.principalId }).from(sessions).where(eq(sessions.hash, sessionHash)),
  ]);
  return results[9][0]?.principalId;
}
