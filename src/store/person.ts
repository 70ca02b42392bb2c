import { and, eq, type SQL } from "drizzle-orm";
import type { Database } from "./database.ts";
import { formerIdsOf, survivorOf } from "./former-ids.ts";
import { identities } from "./identities.ts";
import { principals } from "./principals.ts";
import { sessions } from "./sessions.ts";

/** What the directory holds about a caller: one row joined from principals, identities and sessions. */
export interface PersonRow {
  readonly principalId: string;
  readonly name: string;
  readonly tier: (typeof principals.$inferSelect)["tier"];
  readonly disabledAt: number | null;
  /** Former ids of those who became one with this principal. */
  readonly otherIds: readonly { readonly id: string; readonly tier: (typeof principals.$inferSelect)["tier"] }[];
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
  otherIds: formerIdsOf,
  linkedIdentity: identities.id,
  session: {
    createdAt: sessions.createdAt,
    lastSeenAt: sessions.lastSeenAt,
    revokedAt: sessions.revokedAt,
    expiresAt: sessions.expiresAt,
  },
};

/** The person that a caller claims to be. A session of somebody else, or of another identity, does not count as one. */
export async function readPersonRow(db: Database, caller: ClaimedCaller): Promise<PersonRow | undefined> {
  return await readRow(db, caller, eq(principals.id, caller.principalId));
}

/** As {@link readPersonRow}, for an id that is stored somewhere: of a former one whoever it stands for now. */
export async function readStandingRow(
  db: Database,
  { principalId, identity }: Omit<ClaimedCaller, "sessionHash">,
): Promise<PersonRow | undefined> {
  const isSurvivor = eq(principals.id, survivorOf(principalId));
  return await readRow(db, { principalId, identity, sessionHash: "" }, isSurvivor);
}

interface ClaimedCaller {
  readonly principalId: string;
  readonly identity: string;
  readonly sessionHash: string;
}

async function readRow(db: Database, caller: ClaimedCaller, isThem: SQL): Promise<PersonRow | undefined> {
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
    .where(isThem);
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
