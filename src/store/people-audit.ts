import { and, desc, eq, getTableColumns, lt, or, type SQL, sql } from "drizzle-orm";
import { alias, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "./database.ts";
import { principals } from "./principals.ts";

/** What was changed about people. Rows are written by the transaction of their change, and stay. */
export const peopleAudit = sqliteTable("people_audit", {
  /** ULID of the change. */
  id: text("id").primaryKey(),
  at: integer("at").notNull(),
  /** The principal who changed it. */
  actor: text("actor").notNull(),
  action: text("action").notNull(),
  /** The principal whom it is about. */
  target: text("target").notNull(),
  detail: text("detail", { mode: "json" }).$type<AuditDetail>().notNull(),
});

/** What the change was, by name: an identity, a tier before and after. */
export interface AuditDetail {
  readonly [name: string]: string;
}

export type AuditRow = typeof peopleAudit.$inferSelect;

/** A line with the names that its people have now; null for whoever is no principal, or not in it. */
export type NamedAuditRow = AuditRow & {
  readonly actorName: string | null;
  readonly targetName: string | null;
  /** Of whoever somebody became one with. */
  readonly intoName: string | null;
};

/** The line of a change, written when `holds` is so. What the change does hangs on {@link isWritten}. */
export function writeAudit(db: Database, row: AuditRow, holds: SQL) {
  const { id, at, actor, action, target, detail } = row;
  return db
    .insert(peopleAudit)
    .select(sql`select ${id}, ${at}, ${actor}, ${action}, ${target}, ${JSON.stringify(detail)} where ${holds}`);
}

/** Whether the line of a change stands. */
export function isWritten(id: string): SQL {
  return sql`exists (select 1 from ${peopleAudit} where ${peopleAudit.id} = ${id})`;
}

export function readAuditLine(db: Database, id: string) {
  return db.select({ id: peopleAudit.id }).from(peopleAudit).where(eq(peopleAudit.id, id));
}

/** At most `limit` lines, newest first, after the place of the page before. */
export async function listAudit(
  db: Database,
  page: { readonly limit: number; readonly after: { readonly at: number; readonly id: string } | undefined },
): Promise<NamedAuditRow[]> {
  const { limit, after } = page;
  const [actors, targets] = [alias(principals, "actors"), alias(principals, "targets")];
  const intos = alias(principals, "intos");
  const isAfter =
    after && or(lt(peopleAudit.at, after.at), and(eq(peopleAudit.at, after.at), lt(peopleAudit.id, after.id)));
  return await db
    .select({ ...getTableColumns(peopleAudit), actorName: actors.name, targetName: targets.name, intoName: intos.name })
    .from(peopleAudit)
    .leftJoin(actors, eq(actors.id, peopleAudit.actor))
    .leftJoin(targets, eq(targets.id, peopleAudit.target))
    .leftJoin(intos, eq(intos.id, sql`json_extract(${peopleAudit.detail}, '$.into')`))
    .where(isAfter)
    .orderBy(desc(peopleAudit.at), desc(peopleAudit.id))
    .limit(limit);
}
