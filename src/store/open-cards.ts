import { and, asc, eq, exists, gt, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { conversationMembers } from "./conversation-members.ts";
import { conversations } from "./conversations.ts";
import type { Database } from "./database.ts";
import { formerIds } from "./former-ids.ts";
import { principals } from "./principals.ts";

/** Cards and questions that are open now, as their conversations told: for lists only. Who may answer is decided by the conversation. */
export const openCards = sqliteTable(
  "open_cards",
  {
    /** Channel key. */
    conversation: text("conversation").notNull(),
    /** Of a question: its prompt. */
    hold: text("hold").notNull(),
    /** Empty for a question, as is the tool. */
    digest: text("digest").notNull(),
    tool: text("tool").notNull(),
    /** What the call would do, or what is asked, as the card shows it: escaped, and cut where long. */
    action: text("action").notNull(),
    /** The principal whose turn asks; null: nobody spoke. */
    askedBy: text("asked_by"),
    askedAt: integer("asked_at").notNull(),
    deadline: integer("deadline").notNull(),
    minTier: text("min_tier", { enum: ["guest", "member", "admin", "owner"] }).notNull(),
    approvers: text("approvers", { mode: "json" }).$type<readonly string[]>(),
    approval: text("approval", { enum: ["speaker"] }),
    /** The one person who may see the conversation; empty in a shared one. */
    reader: text("reader").notNull(),
    kind: text("kind", { enum: ["approval", "question"] }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.conversation, table.hold] })],
);

export type OpenCardRow = typeof openCards.$inferSelect;

/**
 * Makes the list of one conversation's open cards what it is at `rev`. Idempotent: what the list of conversations does not
 * show at this very revision, because newer was told or it is deleted, changes nothing.
 */
export async function mirrorCards(
  db: Database,
  conversation: string,
  rev: number,
  cards: readonly OpenCardRow[],
): Promise<void> {
  const isCurrent = sql`exists (select 1 from ${conversations} where ${conversations.key} = ${conversation}
    and ${conversations.rev} = ${rev} and ${conversations.deletedAt} is null)`;
  const holds = JSON.stringify(cards.map(({ hold }) => hold));
  await db.batch([
    db
      .delete(openCards)
      .where(
        and(
          eq(openCards.conversation, conversation),
          sql`${openCards.hold} not in (select value from json_each(${holds}))`,
          isCurrent,
        ),
      ),
    ...cards.map((card) => putCard(db, card, isCurrent)),
  ]);
}

function putCard(db: Database, card: OpenCardRow, isCurrent: SQL) {
  const { conversation, hold, digest, tool, action, askedBy, askedAt, deadline, minTier, approval, reader, kind } =
    card;
  const approvers = card.approvers === null ? null : JSON.stringify(card.approvers);
  return db
    .insert(openCards)
    .select(
      sql`select ${conversation}, ${hold}, ${digest}, ${tool}, ${action}, ${askedBy}, ${askedAt}, ${deadline},
        ${minTier}, ${approvers}, ${approval}, ${reader}, ${kind} where ${isCurrent}`,
    )
    .onConflictDoUpdate({
      target: [openCards.conversation, openCards.hold],
      set: {
        digest: sql`excluded.digest`,
        tool: sql`excluded.tool`,
        action: sql`excluded.action`,
        deadline: sql`excluded.deadline`,
        minTier: sql`excluded.min_tier`,
        approvers: sql`excluded.approvers`,
        approval: sql`excluded.approval`,
      },
    });
}

/** Takes the cards of a deleted conversation off the list. */
export function forgetCards(db: Database, conversation: string) {
  return db.delete(openCards).where(eq(openCards.conversation, conversation));
}

/** An open card with what deciding who may answer it takes. */
export interface ListedCard extends OpenCardRow {
  readonly id: string;
  readonly owner: string;
  readonly title: string;
  readonly visibility: "private" | "shared";
  /** The reader is a member of the shared conversation. */
  readonly isMember: boolean;
  /** Of the person who asks; null: there is none. */
  readonly speaker: {
    readonly name: string;
    readonly tier: (typeof principals.$inferSelect)["tier"];
    readonly disabledAt: number | null;
    /** Of somebody who is named by a former id: what that one was. */
    readonly formerTier: (typeof principals.$inferSelect)["tier"] | null;
  } | null;
}

/**
 * Open cards of conversations that this person may be in, oldest first, at most `limit`: their own private ones, and shared
 * ones of which they are a member, or all shared ones for owners.
 */
export async function listOpenCards(
  db: Database,
  reader: { readonly ids: readonly string[]; readonly isOwner: boolean },
  page: { readonly now: number; readonly limit: number },
): Promise<readonly ListedCard[]> {
  const { isOwner } = reader;
  const ids = [...reader.ids];
  const ofReader = and(
    eq(conversationMembers.key, openCards.conversation),
    inArray(conversationMembers.principalId, ids),
  );
  const isIn = exists(db.select({ one: sql`1` }).from(conversationMembers).where(ofReader));
  const mayBe = or(inArray(openCards.reader, ids), and(eq(openCards.reader, ""), isOwner ? sql`true` : isIn));
  const rows = await db
    .select({
      open_cards: openCards,
      conversations,
      principals,
      formerTier: formerIds.tier,
      isMember: sql<number>`${isIn}`,
    })
    .from(openCards)
    .innerJoin(conversations, eq(conversations.key, openCards.conversation))
    .leftJoin(formerIds, eq(formerIds.former, openCards.askedBy))
    .leftJoin(principals, eq(principals.id, sql`coalesce(${formerIds.survivor}, ${openCards.askedBy})`))
    .where(and(mayBe, gt(openCards.deadline, page.now), isNull(conversations.deletedAt)))
    .orderBy(asc(openCards.askedAt), asc(openCards.hold))
    .limit(page.limit);
  return rows.map((row) => ({
    ...row.open_cards,
    id: row.conversations.id,
    owner: row.conversations.owner,
    title: row.conversations.title,
    visibility: row.conversations.visibility,
    isMember: row.isMember === 1,
    speaker: row.principals && {
      name: row.principals.name,
      tier: row.principals.tier,
      disabledAt: row.principals.disabledAt,
      formerTier: row.formerTier,
    },
  }));
}
