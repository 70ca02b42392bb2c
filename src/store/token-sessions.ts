import { and, count, eq, inArray, isNotNull, lte, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { identities } from "./identities.ts";
import { principals } from "./principals.ts";
import { sessions } from "./sessions.ts";

/** An access token that is brought for the first time. */
export interface TokenSession {
  readonly hash: string;
  readonly identity: string;
  readonly now: number;
  /** End of the token, ms. */
  readonly expiresAt: number;
  /** Tokens of one person at once. */
  readonly limit: number;
  /** The person's tokens that ended before this are swept. */
  readonly sweepEndedBefore: number;
}

/**
 * Opens a session for an access token, when its identity is linked to somebody who is not switched off. A token that had one
 * keeps that, also a revoked one.
 * @returns whether the person was found, and whether the token has a session now.
 */
export async function writeTokenSession(
  db: Database,
  session: TokenSession,
): Promise<{ readonly isKnown: boolean; readonly isOpen: boolean }> {
  const { hash, identity, now, expiresAt, limit } = session;
  const person = db
    .select({ id: principals.id })
    .from(identities)
    .innerJoin(principals, eq(principals.id, identities.principalId))
    .where(and(eq(identities.id, identity), sql`${principals.disabledAt} is null`));
  const tokens = and(inArray(sessions.principalId, person), isNotNull(sessions.expiresAt));
  const inUse = db.select({ count: count() }).from(sessions).where(tokens);
  const isMade = sql`exists (select 1 from ${sessions} where ${sessions.hash} = ${hash})`;
  // The columns of the `select` stand in the order of the table's.
  const results = await db.batch([
    db.delete(sessions).where(and(tokens, lte(sessions.expiresAt, session.sweepEndedBefore))),
    db
      .insert(sessions)
      .select(
        sql`select ${hash}, ${principals.id}, ${identity}, ${now}, ${now}, null, ${expiresAt} from ${principals} where ${principals.id} in ${person} and ${inUse} < ${limit}`,
      )
      .onConflictDoNothing(),
    db
      .update(identities)
      .set({ lastSeenAt: now })
      .where(and(eq(identities.id, identity), isMade)),
    db
      .update(principals)
      .set({ lastSeenAt: now })
      .where(and(inArray(principals.id, person), isMade)),
    person,
    db.select({ hash: sessions.hash }).from(sessions).where(eq(sessions.hash, hash)),
  ]);
  return { isKnown: results[4].length > 0, isOpen: results[5].length > 0 };
}
