import { and, eq } from "drizzle-orm";
import type { Database } from "./database.ts";
import { identities } from "./identities.ts";
import { principals } from "./principals.ts";
import { sessions } from "./sessions.ts";

/** What the directory holds about a caller: one row joined from principals, identities and sessions. */
export interface PersonRow {
  readonly principalId: string;
  readonly name: string;
  readonly tier: (typeof principals.$inferSelect)["tier"];
  readonly disabledAt: number | null;
  /** The identity, when it is linked to this principal. */
  readonly linkedIdentity: string | null;
  readonly session: {
    readonly createdAt: number;
    readonly lastSeenAt: number;
    readonly revokedAt: number | null;
    readonly expiresAt: number | null;
  } | null;
}

const columns = {
  principalId: principals.id,
  name: principals.name,
  tier: principals.tier,
  disabledAt: principals.disabledAt,
  linkedIdentity: identities.id,
  session: {
    createdAt: sessions.createdAt,
    lastSeenAt: sessions.lastSeenAt,
    revokedAt: sessions.revokedAt,
    expiresAt: sessions.expiresAt,
  },
};

/** The person that a caller claims to be. A session of somebody else, or of another identity, does not count as one. */
export async function readPersonRow(
  db: Database,
  caller: { readonly principalId: string; readonly identity: string; readonly sessionHash: string },
): Promise<PersonRow | undefined> {
  const [row] = await db
    .select(columns)
    .from(principals)
    .leftJoin(identities, and(eq(identities.id, caller.identity), eq(identities.principalId, principals.id)))
    .leftJoin(
      sessions,
      and(
        eq(sessions.hash, caller.sessionHash),
        eq(sessions.principalId, principals.id),
        eq(sessions.identity, caller.identity),
      ),
    )
    .where(eq(principals.id, caller.principalId));
  return row;
}

/** The person whose session this is, and the identity that it was made for. */
export async function readPersonOfSession(
  db: Database,
  sessionHash: string,
): Promise<(PersonRow & { readonly identity: string }) | undefined> {
  const [row] = await db
    .select({ ...columns, identity: sessions.identity })
    .from(sessions)
    .innerJoin(principals, eq(principals.id, sessions.principalId))
    .leftJoin(identities, and(eq(identities.id, sessions.identity), eq(identities.principalId, principals.id)))
    .where(eq(sessions.hash, sessionHash));
  return row;
}

/** The person whom an identity is linked to. */
export async function readPersonOfIdentity(db: Database, identity: string): Promise<PersonRow | undefined> {
  const { session: _none, ...facts } = columns;
  const [row] = await db
    .select(facts)
    .from(identities)
    .innerJoin(principals, eq(principals.id, identities.principalId))
    .where(eq(identities.id, identity));
  return row && { ...row, session: null };
}
