import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** People. Written by sign-in, read with every request. Of whoever was erased a row without a name stays, switched off. */
export const principals = sqliteTable("principals", {
  /** `p_<ulid>` */
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  tier: text("tier", { enum: ["guest", "member", "admin", "owner"] }).notNull(),
  createdAt: integer("created_at").notNull(),
  disabledAt: integer("disabled_at"),
  /** Noted with a session's own, at most once an hour. */
  lastSeenAt: integer("last_seen_at"),
  /** Is an owner because the configuration names one of their identities. */
  configuredOwner: integer("configured_owner", { mode: "boolean" }).notNull().default(false),
  erasedAt: integer("erased_at"),
});
