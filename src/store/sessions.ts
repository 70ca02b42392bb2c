import { and, eq, gt, isNull, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "./database.ts";
import { identities } from "./identities.ts";
import { principals } from "./principals.ts";

/** Signed-in browsers, and access tokens in use. Swept at sign-in once past their absolute end. */
export const sessions = sqliteTable("sessions", {
  /** Hex SHA-256 of the session id or of the access token. */
  hash: text("hash").primaryKey(),
  principalId: text("principal_id")
    .notNull()
    .references(() => principals.id),
  identity: text("identity").notNull(),
  createdAt: integer("created_at").notNull(),
  lastSeenAt: integer("last_seen_at").notNull(),
  revokedAt: integer("revoked_at"),
  /** Only of an access token: when it ends. */
  expiresAt: integer("expires_at"),
});

/** Bounds in ms between which a session's `last_seen_at` must lie to be moved on. */
export interface SeenWindow {
  /** Sessions last seen before this have ended. */
  readonly endedBefore: number;
  /** Sessions last seen after this are fresh enough. */
  readonly freshAfter: number;
  /** Sessions made before this have ended. */
  readonly createdAfter: number;
}

/** Notes that a session, its identity and its person were here, unless that was noted lately or the session has ended. */
export async function writeSessionSeen(db: Database, hash: string, now: number, window: SeenWindow): Promise<void> {
  const due = and(
    eq(sessions.hash, hash),
    isNull(sessions.revokedAt),
    gt(sessions.lastSeenAt, window.endedBefore),
    lte(sessions.lastSeenAt, window.freshAfter),
    gt(sessions.createdAt, window.createdAfter),
  );
  const isOf = (column: SQLWrapper, owner: SQLWrapper) =>
    sql`${owner} = (select ${column} from ${sessions} where ${due})`;
  await db.batch([
    db.update(identities).set({ lastSeenAt: now }).where(isOf(sessions.identity, identities.id)),
    db.update(principals).set({ lastSeenAt: now }).where(isOf(sessions.principalId, principals.id)),
    db.update(sessions).set({ lastSeenAt: now }).where(due),
  ]);
}

/** Ends one session. Ending it again changes nothing. */
export async function revokeSession(db: Database, hash: string, now: number): Promise<void> {
  await revoke(db, eq(sessions.hash, hash), now);
}

/** Ends every session of a principal. */
export async function revokeSessionsOf(db: Database, principalId: string, now: number): Promise<void> {
  await revoke(db, eq(sessions.principalId, principalId), now);
}

async function revoke(db: Database, which: SQL, now: number): Promise<void> {
  await db
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(which, isNull(sessions.revokedAt)));
}
