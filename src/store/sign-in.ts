import { and, eq, gt, isNull, lte, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { identities } from "./identities.ts";
import { ownerCodes } from "./owner-codes.ts";
import { principals } from "./principals.ts";
import { sessions } from "./sessions.ts";

/** Everything one claim of an owner code writes. */
export interface OwnerClaim {
  readonly codeHash: string;
  readonly now: number;
  readonly identity: string;
  /** The principal to make when the identity has none yet. */
  readonly newPrincipal: { readonly id: string; readonly name: string };
  readonly sessionHash: string;
  /** The session that the browser brought along, to be ended. */
  readonly oldSessionHash: string | undefined;
  /** Sessions made before this are swept. */
  readonly sweepSessionsBefore: number;
  /** Codes that expired before this are swept. */
  readonly sweepCodesBefore: number;
}

/**
 * Spends the code and signs its owner in, in one transaction: the first statement is the line between the winner and
 * everyone else, and each later one does something only for the session that this code gave.
 * @returns the principal, or undefined when the code cannot be spent.
 */
export async function writeOwnerClaim(db: Database, claim: OwnerClaim): Promise<string | undefined> {
  const { now, identity, sessionHash } = claim;
  const won = sql`exists (select 1 from ${ownerCodes} where ${ownerCodes.sessionHash} = ${sessionHash})`;
  const owner = sql`(select ${identities.principalId} from ${identities} where ${identities.id} = ${identity})`;
  const [, , , , , , , , signedIn] = await db.batch([
    db
      .update(ownerCodes)
      .set({ spentAt: now, sessionHash })
      .where(and(eq(ownerCodes.hash, claim.codeHash), isNull(ownerCodes.spentAt), gt(ownerCodes.expiresAt, now))),
    db.run(sql`insert into ${principals} (id, name, tier, created_at)
      select ${claim.newPrincipal.id}, ${claim.newPrincipal.name}, 'owner', ${now}
      where ${won} and ${owner} is null`),
    db.run(sql`insert into ${identities} (id, principal_id, linked_at)
      select ${identity}, ${claim.newPrincipal.id}, ${now} where ${won} and ${owner} is null`),
    db.run(sql`update ${principals} set tier = 'owner' where id = ${owner} and ${won}`),
    db.run(sql`update ${sessions} set revoked_at = ${now}
      where hash = ${claim.oldSessionHash ?? ""} and revoked_at is null and ${won}`),
    db.run(sql`insert into ${sessions} (hash, principal_id, identity, created_at, last_seen_at)
      select ${sessionHash}, ${owner}, ${identity}, ${now}, ${now} where ${won}`),
    db.delete(sessions).where(and(lte(sessions.createdAt, claim.sweepSessionsBefore), won)),
    db.delete(ownerCodes).where(and(lte(ownerCodes.expiresAt, claim.sweepCodesBefore), won)),
    db.select({ principalId: sessions.principalId }).from(sessions).where(eq(sessions.hash, sessionHash)),
  ]);
  return signedIn[0]?.principalId;
}
