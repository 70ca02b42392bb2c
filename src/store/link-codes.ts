import { and, eq, gt, lte, or, type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "./database.ts";
import { identities } from "./identities.ts";
import { type AuditRow, isWritten, readAuditLine, writeAudit } from "./people-audit.ts";
import { principals } from "./principals.ts";

/** Codes that surfaces have shown. At most one an identity; spent ones are deleted, expired ones with the next code. */
export const linkCodes = sqliteTable("link_codes", {
  /** Hex SHA-256 of the normalised code. */
  hash: text("hash").primaryKey(),
  identity: text("identity").notNull(),
  display: text("display").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export type LinkCodeRow = typeof linkCodes.$inferSelect;

/** Stores a code in place of the identity's former one. */
export async function writeLinkCode(db: Database, code: LinkCodeRow, now: number): Promise<void> {
  await db.batch([
    db.delete(linkCodes).where(or(eq(linkCodes.identity, code.identity), lte(linkCodes.expiresAt, now))),
    db.insert(linkCodes).values(code),
  ]);
}

/** A code that can still be spent, and the person to whom its identity belongs already, if any. */
export async function readLinkCode(
  db: Database,
  hash: string,
  now: number,
): Promise<(LinkCodeRow & { readonly linkedTo: string | null }) | undefined> {
  const [row] = await db
    .select({
      hash: linkCodes.hash,
      identity: linkCodes.identity,
      display: linkCodes.display,
      expiresAt: linkCodes.expiresAt,
      linkedTo: identities.principalId,
    })
    .from(linkCodes)
    .leftJoin(identities, eq(identities.id, linkCodes.identity))
    .where(and(eq(linkCodes.hash, hash), gt(linkCodes.expiresAt, now)));
  return row;
}

/** An identity for a person who is there, with a line of audit. */
export interface NewLink {
  readonly identity: string;
  readonly display: string;
  /** Identities that one person may have. */
  readonly limit: number;
  /** Its target is the person. */
  readonly audit: AuditRow;
}

/**
 * Spends the code and links its identity, in one transaction.
 * @returns false when code or identity are not what they were, or the person may not have another.
 */
export async function spendLinkCode(db: Database, hash: string, link: NewLink): Promise<boolean> {
  const { id, at } = link.audit;
  const isLive = sql`exists (select 1 from ${linkCodes} where ${linkCodes.hash} = ${hash}
    and ${linkCodes.identity} = ${link.identity} and ${linkCodes.expiresAt} > ${at})`;
  const [line, insert] = linking(db, link, isLive);
  const spend = db.delete(linkCodes).where(and(eq(linkCodes.hash, hash), isWritten(id)));
  const [, , , lines] = await db.batch([line, insert, spend, readAuditLine(db, id)]);
  return lines.length === 1;
}

/** Links an identity that needs no code. @returns false when it is somebody's, or the person may not have another. */
export async function linkIdentity(db: Database, link: NewLink): Promise<boolean> {
  const [line, insert] = linking(db, link, sql`true`);
  const [, , lines] = await db.batch([line, insert, readAuditLine(db, link.audit.id)]);
  return lines.length === 1;
}

function linking(db: Database, { identity, display, limit, audit }: NewLink, holds: SQL) {
  const { id, at, target } = audit;
  const isFree = sql`not exists (select 1 from ${identities} where ${identities.id} = ${identity})`;
  const hasRoom = sql`(select count(*) from ${identities} where ${identities.principalId} = ${target}) < ${limit}`;
  const isThere = sql`exists (select 1 from ${principals} where ${principals.id} = ${target} and ${principals.disabledAt} is null)`;
  return [
    writeAudit(db, audit, sql`${holds} and ${isFree} and ${hasRoom} and ${isThere}`),
    db.insert(identities).select(sql`select ${identity}, ${target}, ${at}, ${display}, null where ${isWritten(id)}`),
  ] as const;
}

/** Codes for identities of a person. */
export const isCodeOf = (person: string) =>
  sql`${linkCodes.identity} in (select ${identities.id} from ${identities} where ${identities.principalId} = ${person})`;
