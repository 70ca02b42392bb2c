import { and, eq, sql } from "drizzle-orm";
import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "./database.ts";

/** Who is in which shared conversation: a mirror of the conversations' own rows, for lists only. */
export const conversationMembers = sqliteTable(
  "conversation_members",
  {
    /** Channel key, `web:<uuid>`. */
    key: text("key").notNull(),
    principalId: text("principal_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.key, table.principalId] }),
    index("conversation_members_by_principal").on(table.principalId),
  ],
);

/**
 * The statements that make the members of a conversation those of its revision, unless its line shows another one. They
 * come after the statement that writes that line, in the same batch.
 */
export function membersAsOf(
  db: Database,
  { key, rev, members }: { readonly key: string; readonly rev: number; readonly members: readonly string[] },
) {
  const list = JSON.stringify(members);
  const isShown = sql`exists (select 1 from conversations where key = ${key} and rev = ${rev} and deleted_at is null)`;
  const isOut = sql`${conversationMembers.principalId} not in (select value from json_each(${list}))`;
  return [
    db.delete(conversationMembers).where(and(eq(conversationMembers.key, key), isOut, isShown)),
    db
      .insert(conversationMembers)
      .select(sql`select ${key}, value from json_each(${list}) where ${isShown}`)
      .onConflictDoNothing(),
  ] as const;
}
