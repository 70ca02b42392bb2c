import { and, desc, eq, isNull, like, lt, or, sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../lib/json.ts";
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
 * Writes what a conversation says of itself. Idempotent: the newest `rev` wins, in whatever order rows arrive; owner
 * and birth never change; a deleted key stays deleted.
 */
export async function mirrorConversation(db: Database, row: RegistryRow): Promise<void> {
  await db
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
  await db
    .insert(conversations)
    .values({ ...gone, ...empty, createdAt: now, updatedAt: now, rev: 0, deletedAt: now })
    .onConflictDoUpdate({
      target: conversations.key,
      set: { ...empty, updatedAt: now, deletedAt: now },
      setWhere: isNull(conversations.deletedAt),
    });
}

/** The row of a key, deleted or not. */
export async function readConversation(
  db: Database,
  key: string,
): Promise<typeof conversations.$inferSelect | undefined> {
  const [row] = await db.select().from(conversations).where(eq(conversations.key, key));
  return row;
}

/** A principal's conversations of one surface, newest activity first, at most `limit`, after a place. */
export async function listConversations(
  db: Database,
  owner: string,
  page: { readonly surface: string; readonly limit: number; readonly after: ListPlace | undefined },
): Promise<RegistryRow[]> {
  const ofSurface = like(conversations.key, `${page.surface}:%`);
  return await db
    .select()
    .from(conversations)
    .where(and(eq(conversations.owner, owner), isNull(conversations.deletedAt), ofSurface, isAfter(page.after)))
    .orderBy(desc(conversations.updatedAt), desc(conversations.key))
    .limit(page.limit);
}

function isAfter(place: ListPlace | undefined) {
  if (place === undefined) return undefined;
  return or(
    lt(conversations.updatedAt, place.updatedAt),
    and(eq(conversations.updatedAt, place.updatedAt), lt(conversations.key, place.key)),
  );
}
