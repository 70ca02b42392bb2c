import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "./database.ts";

/** One-time codes of the owner. Written by `npm start` and `npm run owner:code`, spent by a claim, swept at sign-in. */
export const ownerCodes = sqliteTable("owner_codes", {
  /** Hex SHA-256 of the normalised code. */
  hash: text("hash").primaryKey(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  spentAt: integer("spent_at"),
  /** The session that spending the code gave. */
  sessionHash: text("session_hash"),
});

export async function insertOwnerCode(
  db: Database,
  code: { readonly hash: string; readonly createdAt: number; readonly expiresAt: number },
): Promise<void> {
  await db.insert(ownerCodes).values(code);
}
