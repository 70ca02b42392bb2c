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
  const { now, identity, sessionHash, newPrincipal } = claim;
  const won = sql`exists (select 1 from ${ownerCodes} where ${ownerCodes.sessionHash} = ${sessionHash})`;
  const owner = sql`(select ${identities.principalId} from ${identities} where ${identities.id} = ${identity})`;
  const spendable = and(eq(ownerCodes.hash, claim.codeHash), isNull(ownerCodes.spentAt), gt(ownerCodes.expiresAt, now));
  const isFirst = sql`${won} and ${owner} is null`;
  // The columns of each `select` stand in the order of their table's.
  const [, , , , , , , , signedIn] = await db.batch([
    db.update(ownerCodes).set({ spentAt: now, sessionHash }).where(spendable),
    db
      .insert(principals)
      .select(
        sql`select ${newPrincipal.id}, ${newPrincipal.name}, 'owner', ${now}, null, ${now}, 0, null where ${isFirst}`,
      ),
    db
      .insert(identities)
      .select(sql`select ${identity}, ${newPrincipal.id}, ${now}, 'Owner code', ${now} where ${isFirst}`),
    db.update(principals).set({ tier: "owner" }).where(sql`${principals.id} = ${owner} and ${won}`),
    db
      .update(sessions)
      .set({ revokedAt: now })
      .where(and(eq(sessions.hash, claim.oldSessionHash ?? ""), isNull(sessions.revokedAt), won)),
    db
      .insert(sessions)
      .select(sql`select ${sessionHash}, ${owner}, ${identity}, ${now}, ${now}, null, null where ${won}`),
    db.delete(sessions).where(and(lte(sessions.createdAt, claim.sweepSessionsBefore), won)),
    db.delete(ownerCodes).where(and(lte(ownerCodes.expiresAt, claim.sweepCodesBefore), won)),
    db.select({ principalId: sessions.principalId }).from(sessions).where(eq(sessions.hash, sessionHash)),
  ]);
  return signedIn[0]?.principalId;
}
