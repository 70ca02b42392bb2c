import { and, asc, desc, eq, gt, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { conversationMembers } from "./conversation-members.ts";
import { conversations } from "./conversations.ts";
import type { Database } from "./database.ts";
import { isAtRest, isTheirs } from "./former-ids.ts";
import { identities } from "./identities.ts";
import { invitations } from "./invitations.ts";
import { isCodeOf, linkCodes } from "./link-codes.ts";
import { openCards } from "./open-cards.ts";
import { isEnabledOwner, isOtherOwner } from "./people.ts";
import { type AuditRow, isWritten, writeAudit } from "./people-audit.ts";
import { principals } from "./principals.ts";
import { isWindowOf, rateWindows } from "./rate-windows.ts";
import { sessions } from "./sessions.ts";

/** People who were erased, or are being erased. */
export const erasures = sqliteTable("erasures", {
  person: text("person").primaryKey(),
  orderedBy: text("ordered_by").notNull(),
  begunAt: integer("begun_at").notNull(),
  finishedAt: integer("finished_at"),
  receipt: text("receipt", { mode: "json" }).$type<readonly ReceiptLine[]>().notNull(),
});

export type ErasureRow = typeof erasures.$inferSelect;

/** What was found of a person in one store, and what a second look found there afterwards. */
export interface ReceiptLine {
  readonly store: string;
  readonly found: number;
  /** Null: nobody has looked again yet. */
  readonly left: number | null;
}

/** The directory's own stores that hold something of a person, and what is in them. */
export const DIRECTORY_STORES = ["identities", "sessions", "link_codes", "invitations", "rate_windows"] as const;
/** Lists that conversations write. */
export const LIST_STORES = ["conversation_members", "open_cards"] as const;
export type CountedStore = (typeof DIRECTORY_STORES)[number] | (typeof LIST_STORES)[number] | "private_conversations";

/** How many rows each store of the directory holds of a person. */
export async function countOfPerson(db: Database, person: string): Promise<Readonly<Record<CountedStore, number>>> {
  const [
    [ofIdentities],
    [ofSessions],
    [ofCodes],
    [ofInvitations],
    [ofWindows],
    [ofMembers],
    [ofCards],
    [ofConversations],
  ] = await db.batch([
    db.select({ n: count }).from(identities).where(isTheirs(identities.principalId, person)),
    db.select({ n: count }).from(sessions).where(isTheirs(sessions.principalId, person)),
    db.select({ n: count }).from(linkCodes).where(isCodeOf(person)),
    db.select({ n: count }).from(invitations).where(isTheirs(invitations.spentBy, person)),
    db.select({ n: count }).from(rateWindows).where(isWindowOf(person)),
    db.select({ n: count }).from(conversationMembers).where(isTheirs(conversationMembers.principalId, person)),
    db.select({ n: count }).from(openCards).where(isCardOf(person)),
    db.select({ n: count }).from(conversations).where(isPrivateOf(person)),
  ]);
  return {
    identities: ofIdentities?.n ?? 0,
    sessions: ofSessions?.n ?? 0,
    link_codes: ofCodes?.n ?? 0,
    invitations: ofInvitations?.n ?? 0,
    rate_windows: ofWindows?.n ?? 0,
    conversation_members: ofMembers?.n ?? 0,
    open_cards: ofCards?.n ?? 0,
    private_conversations: ofConversations?.n ?? 0,
  };
}

const count = sql<number>`count(*)`;
const isPrivateOf = (person: string) =>
  and(isTheirs(conversations.owner, person), eq(conversations.visibility, "private"), isNull(conversations.deletedAt));
const isCardOf = (person: string) => or(isTheirs(openCards.reader, person), isTheirs(openCards.askedBy, person));

/** What is to be written when somebody is shut out for good. */
export interface ShutOut {
  /** Its target is the person. */
  readonly audit: AuditRow;
  readonly receipt: readonly ReceiptLine[];
  /** An owner erases somebody, or a person themselves. */
  readonly isOwn: boolean;
}

/**
 * Takes away, in one transaction, every way in and everything that the directory itself knows of a person, and notes that
 * the rest is to follow. Done again it changes nothing. @returns false when it no longer holds: the actor may not any
 * more, or no other owner would be left.
 */
export async function shutOut(db: Database, { audit, receipt, isOwn }: ShutOut): Promise<boolean> {
  const { id, at, actor, target } = audit;
  const isDone = isWritten(id);
  const isThere = sql`exists (select 1 from ${principals} where ${principals.id} = ${target}
    and ${principals.erasedAt} is null and ${principals.configuredOwner} = 0) and ${isAtRest(target)}`;
  const isLeft = sql`(exists (select 1 from ${principals} where ${isOtherOwner(target)}) or not ${isEnabledOwner(target)})`;
  const may = isOwn ? sql`${actor} = ${target}` : isEnabledOwner(actor);
  const isOf = (owner: SQL | undefined) => and(owner, isDone);
  const found = JSON.stringify(receipt);
  const results = await db.batch([
    writeAudit(db, audit, sql`${may} and ${isThere} and ${isLeft}`),
    db
      .insert(erasures)
      .select(sql`select ${target}, ${actor}, ${at}, null, ${found} where ${isDone}`)
      .onConflictDoNothing(),
    db.delete(linkCodes).where(isOf(isCodeOf(target))),
    db.delete(identities).where(isOf(eq(identities.principalId, target))),
    db.delete(sessions).where(isOf(isTheirs(sessions.principalId, target))),
    db.delete(invitations).where(isOf(isTheirs(invitations.spentBy, target))),
    db.delete(rateWindows).where(isOf(isWindowOf(target))),
    db
      .update(principals)
      .set({ name: "", tier: "guest", disabledAt: at, lastSeenAt: null, erasedAt: at })
      .where(isOf(isTheirs(principals.id, target))),
    db.select({ person: erasures.person }).from(erasures).where(eq(erasures.person, target)),
  ]);
  return results[8].length === 1;
}

/** Every id of a person who was erased; none: they were not. What objects ask before they forget anybody. */
export async function erasedIds(db: Database, person: string): Promise<readonly string[]> {
  const isGone = sql`exists (select 1 from principals as gone where gone.id = ${person} and gone.erased_at is not null)`;
  const rows = await db
    .select({ id: principals.id })
    .from(principals)
    .where(and(isTheirs(principals.id, person), isGone));
  return rows.map(({ id }) => id);
}

/** Private conversations of a person that are listed still, at most `limit`. */
export async function listPrivate(
  db: Database,
  person: string,
  limit: number,
): Promise<readonly { readonly key: string; readonly id: string }[]> {
  return await db
    .select({ key: conversations.key, id: conversations.id })
    .from(conversations)
    .where(isPrivateOf(person))
    .orderBy(asc(conversations.key))
    .limit(limit);
}

/** Keys of shared conversations after a key, in order, at most `limit`. */
export async function listShared(db: Database, after: string, limit: number): Promise<readonly string[]> {
  const rows = await db
    .select({ key: conversations.key })
    .from(conversations)
    .where(and(eq(conversations.visibility, "shared"), isNull(conversations.deletedAt), gt(conversations.key, after)))
    .orderBy(asc(conversations.key))
    .limit(limit);
  return rows.map(({ key }) => key);
}

/** What lists say of a person that no conversation tells any more: those that were deleted, or never told their end. */
export async function forgetInLists(db: Database, person: string): Promise<void> {
  await db.batch([
    db.delete(conversationMembers).where(isTheirs(conversationMembers.principalId, person)),
    db.delete(openCards).where(isCardOf(person)),
  ]);
}

export async function finishErasure(
  db: Database,
  person: string,
  { receipt, at }: { readonly receipt: readonly ReceiptLine[]; readonly at: number },
): Promise<void> {
  await db
    .update(erasures)
    .set({ receipt: [...receipt], finishedAt: at })
    .where(eq(erasures.person, person));
}

/** At most `limit` erasures, newest first, after the place of the page before. */
export async function listErasures(
  db: Database,
  page: { readonly limit: number; readonly after: { readonly at: number; readonly id: string } | undefined },
): Promise<readonly ErasureRow[]> {
  const { limit, after } = page;
  const isAfter =
    after && or(lt(erasures.begunAt, after.at), and(eq(erasures.begunAt, after.at), lt(erasures.person, after.id)));
  return await db
    .select()
    .from(erasures)
    .where(isAfter)
    .orderBy(desc(erasures.begunAt), desc(erasures.person))
    .limit(limit);
}
