import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { principals } from "./principals.ts";

/** How people are recognised. One identity belongs to one principal; a principal may have several. */
export const identities = sqliteTable("identities", {
  /** `<provider>:<subject>` */
  id: text("id").primaryKey(),
  principalId: text("principal_id")
    .notNull()
    .references(() => principals.id),
  linkedAt: integer("linked_at").notNull(),
  /** How its provider showed the person; decoration. */
  display: text("display").notNull().default(""),
  lastSeenAt: integer("last_seen_at"),
});
