import { and, asc, eq, gt, isNull, lte, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "./database.ts";
import { isEnabledOwner } from "./people.ts";
import { type AuditRow, isWritten, readAuditLine, writeAudit } from "./people-audit.ts";

/** One-time links by which owners admit somebody new. Expired ones go with the next that is made. */
export const invitations = sqliteTable("invitations", {
  /** ULID, for owners; no secret. */
  id: text("id").primaryKey(),
  /** Hex SHA-256 of the normalised code. */
  hash: text("hash").notNull(),
  tier: text("tier", { enum: ["guest", "member", "admin"] }).notNull(),
  createdBy: text("created_by").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  /** The principal whom it admitted. */
  spentBy: text("spent_by"),
});

export type InvitationRow = typeof invitations.$inferSelect;

/** Those that can still be spent, oldest first. */
export async function listInvitations(db: Database, now: number): Promise<InvitationRow[]> {
  const isOpen = and(isNull(invitations.spentBy), gt(invitations.expiresAt, now));
  return await db.select().from(invitations).where(isOpen).orderBy(asc(invitations.id));
}

/** Stores an invitation with its line of audit. @returns false when there are `limit` open ones, or its maker is no owner. */
export async function writeInvitation(
  db: Database,
  row: Omit<InvitationRow, "spentBy">,
  { limit, audit }: { readonly limit: number; readonly audit: AuditRow },
): Promise<boolean> {
  const { id, hash, tier, createdBy, createdAt, expiresAt } = row;
  const hasRoom = sql`(select count(*) from ${invitations} where ${invitations.spentBy} is null
    and ${invitations.expiresAt} > ${createdAt}) < ${limit}`;
  const [, , , lines] = await db.batch([
    writeAudit(db, audit, sql`${hasRoom} and ${isEnabledOwner(createdBy)}`),
    db.delete(invitations).where(lte(invitations.expiresAt, createdAt)),
    db
      .insert(invitations)
      .select(
        sql`select ${id}, ${hash}, ${tier}, ${createdBy}, ${createdAt}, ${expiresAt}, null where ${isWritten(audit.id)}`,
      ),
    readAuditLine(db, audit.id),
  ]);
  return lines.length === 1;
}

/** Takes an open invitation back, with its line of audit. @returns false when there is none. */
export async function deleteInvitation(db: Database, id: string, audit: AuditRow): Promise<boolean> {
  const isOpen = sql`exists (select 1 from ${invitations} where ${invitations.id} = ${id} and ${invitations.spentBy} is null)`;
  const [, , lines] = await db.batch([
    writeAudit(db, audit, sql`${isOpen} and ${isEnabledOwner(audit.actor)}`),
    db.delete(invitations).where(and(eq(invitations.id, id), isWritten(audit.id))),
    readAuditLine(db, audit.id),
  ]);
  return lines.length === 1;
}
