import { and, desc, eq, getTableColumns, inArray, isNull, like, lt, or, sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../lib/json.ts";
import { conversationMembers, membersAsOf } from "./conversation-members.ts";
import type { Database } from "./database.ts";

/** The registry: a mirror of each conversation's own row, for lists only. Never asked who may do what. */
export const conversations = sqliteTable(
  "conversations",
  {
    /** Channel key, `web:<uuid>`. */
    key: text("key").primaryKey(),
    /** The part of the key after the first colon. */
    id: text("id").notNull(),
    owner: text("owner").notNull(),
    title: text("title").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    state: text("state", { enum: ["idle", "running", "waiting", "failed"] }).notNull(),
    usage: text("usage", { mode: "json" }).$type<JsonObject>().notNull(),
    /** Revision of the conversation that this row shows. */
    rev: integer("rev").notNull(),
    deletedAt: integer("deleted_at"),
    visibility: text("visibility", { enum: ["private", "shared"] })
      .notNull()
      .default("private"),
  },
  (table) => [index("conversations_by_owner").on(table.owner, table.updatedAt)],
);

export type RegistryRow = Omit<typeof conversations.$inferSelect, "deletedAt">;

/** A place in the list: the last row of the page before. */
export interface ListPlace {
  readonly updatedAt: number;
  readonly key: string;
}

/**
 * Writes what a conversation says of itself. Idempotent: the newest `rev` wins, in whatever order rows arrive; owner,
 * birth and visibility never change; a deleted key stays deleted.
 * @param members of a shared one.
 */
export async function mirrorConversation(
  db: Database,
  row: RegistryRow,
  members: readonly string[] = [],
): Promise<void> {
  const line = lineOf(db, row);
  if (row.visibility === "private") await line;
  else await db.batch([line, ...membersAsOf(db, { ...row, members })]);
}

function lineOf(db: Database, row: RegistryRow) {
  return db
    .insert(conversations)
    .values(row)
    .onConflictDoUpdate({
      target: conversations.key,
      set: {
        title: sql`excluded.title`,
        updatedAt: sql`excluded.updated_at`,
        state: sql`excluded.state`,
        usage: sql`excluded.usage`,
        rev: sql`excluded.rev`,
      },
      setWhere: sql`excluded.rev > ${conversations.rev} and ${conversations.deletedAt} is null`,
    });
}

/** Marks a conversation as deleted and forgets what it said, also when its mirror row never came. */
export async function buryConversation(
  db: Database,
  gone: { readonly key: string; readonly id: string; readonly owner: string },
  now: number,
): Promise<void> {
  const empty = { title: "", state: "idle", usage: {} } as const;
  await db.batch([
    db
      .insert(conversations)
      .values({ ...gone, ...empty, createdAt: now, updatedAt: now, rev: 0, deletedAt: now })
      .onConflictDoUpdate({
        target: conversations.key,
        set: { ...empty, updatedAt: now, deletedAt: now },
        setWhere: isNull(conversations.deletedAt),
      }),
    db.delete(conversationMembers).where(eq(conversationMembers.key, gone.key)),
  ]);
}

/** The row of a key, deleted or not. */
export async function readConversation(
  db: Database,
  key: string,
): Promise<typeof conversations.$inferSelect | undefined> {
  const [row] = await db.select().from(conversations).where(eq(conversations.key, key));
  return row;
}

/**
 * A person's conversations of one surface, their private ones and the shared ones that they are in: newest activity
 * first, at most `limit`, after a place. @param ids every id of theirs, at most 11.
 */
export async function listConversations(
  db: Database,
  ids: readonly string[],
  page: { readonly surface: string; readonly limit: number; readonly after: ListPlace | undefined },
): Promise<RegistryRow[]> {
  const isListed = and(
    isNull(conversations.deletedAt),
    like(conversations.key, `${page.surface}:%`),
    isAfter(page.after),
  );
  const columns = getTableColumns(conversations);
  const isIn = inArray(conversationMembers.principalId, [...ids]);
  const order = [desc(conversations.updatedAt), desc(conversations.key)] as const;
  const isOwn = and(inArray(conversations.owner, [...ids]), eq(conversations.visibility, "private"));
  // Two questions, so that each goes by its index and neither is sorted beyond its limit.
  const [own, shared] = await db.batch([
    db
      .select(columns)
      .from(conversations)
      .where(and(isOwn, isListed))
      .orderBy(...order)
      .limit(page.limit),
    db
      .selectDistinct(columns)
      .from(conversationMembers)
      .innerJoin(conversations, eq(conversations.key, conversationMembers.key))
      .where(and(isIn, isListed))
      .orderBy(...order)
      .limit(page.limit),
  ]);
  return [...own, ...shared].toSorted(byActivity).slice(0, page.limit);
}

function byActivity(one: ListPlace, other: ListPlace): number {
  return other.updatedAt - one.updatedAt || (one.key < other.key ? 1 : -1);
}

function isAfter(place: ListPlace | undefined) {
  if (place === undefined) return undefined;
  return or(
    lt(conversations.updatedAt, place.updatedAt),
    and(eq(conversations.updatedAt, place.updatedAt), lt(conversations.key, place.key)),
  );
}
