import { and, asc, desc, eq, gt, lt, or, type SQL, sql } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "./database.ts";
import { isTheirs } from "./former-ids.ts";

/** Copies of the conversations' audits of holds. Lines are written as they are, and stay. */
export const approvalAudit = sqliteTable(
  "approval_audit",
  {
    /** Channel key. */
    conversation: text("conversation").notNull(),
    seq: integer("seq").notNull(),
    /** The line as JSON. The columns below are read out of it by the database. */
    line: text("line").notNull(),
    at: integer("at").generatedAlwaysAs(sql`json_extract(line, '$.at')`),
    event: text("event").generatedAlwaysAs(sql`json_extract(line, '$.event')`),
    hold: text("hold").generatedAlwaysAs(sql`json_extract(line, '$.hold')`),
    person: text("person").generatedAlwaysAs(sql`json_extract(line, '$.by')`),
  },
  (table) => [primaryKey({ columns: [table.conversation, table.seq] })],
);

/** The newest line of each chain. */
export const approvalAuditHeads = sqliteTable("approval_audit_heads", {
  conversation: text("conversation").primaryKey(),
  seq: integer("seq").notNull(),
  hash: text("hash").notNull(),
});

export interface StoredLine {
  readonly conversation: string;
  readonly seq: number;
  readonly line: string;
}

/** How far a chain was copied. `count` below `seq`: there are gaps. */
export async function readCopied(
  db: Database,
  conversation: string,
): Promise<{ readonly seq: number; readonly count: number }> {
  const [row] = await db
    .select({ seq: sql<number>`coalesce(max(${approvalAudit.seq}), 0)`, count: sql<number>`count(*)` })
    .from(approvalAudit)
    .where(eq(approvalAudit.conversation, conversation));
  return row ?? { seq: 0, count: 0 };
}

/**
 * Copies lines of a chain, in one transaction. Those that stand already stay as they are.
 * @returns what stands now under the number of the last of them.
 */
export async function copyLines(
  db: Database,
  conversation: string,
  lines: readonly { readonly seq: number; readonly hash: string; readonly line: string }[],
): Promise<string | undefined> {
  const last = lines.at(-1);
  if (!last) return undefined;
  const texts = JSON.stringify(lines.map(({ line }) => line));
  const [, , standing] = await db.batch([
    db
      .insert(approvalAudit)
      .select(sql`select ${conversation}, json_extract(value, '$.seq'), value from json_each(${texts}) where true`)
      .onConflictDoNothing(),
    db
      .insert(approvalAuditHeads)
      .values({ conversation, seq: last.seq, hash: last.hash })
      .onConflictDoUpdate({
        target: approvalAuditHeads.conversation,
        set: { seq: sql`excluded.seq`, hash: sql`excluded.hash` },
        setWhere: sql`excluded.seq > ${approvalAuditHeads.seq}`,
      }),
    db
      .select({ line: approvalAudit.line })
      .from(approvalAudit)
      .where(and(eq(approvalAudit.conversation, conversation), eq(approvalAudit.seq, last.seq))),
  ]);
  return standing[0]?.line;
}

/** What a list of lines may be narrowed to. */
export interface AuditFilter {
  readonly conversation?: string | undefined;
  readonly event?: string | undefined;
  /** The person who did it, by whichever of their ids. */
  readonly by?: string | undefined;
}

/** A place among all lines: the last line of the page before. */
export interface AuditPlace {
  readonly at: number;
  readonly conversation: string;
  readonly seq: number;
}

/** Lines of all conversations, newest first, at most `limit`, after a place. */
export async function listLines(
  db: Database,
  filter: AuditFilter,
  page: { readonly limit: number; readonly after: AuditPlace | undefined },
): Promise<readonly StoredLine[]> {
  const { conversation, seq, line, at } = approvalAudit;
  const { after, limit } = page;
  const isAfter =
    after &&
    or(
      lt(at, after.at),
      and(eq(at, after.at), lt(conversation, after.conversation)),
      and(eq(at, after.at), eq(conversation, after.conversation), lt(seq, after.seq)),
    );
  return await db
    .select({ conversation, seq, line })
    .from(approvalAudit)
    .where(and(matches(filter), isAfter))
    .orderBy(desc(at), desc(conversation), desc(seq))
    .limit(limit);
}

/** Lines chain by chain, oldest first, at most `limit`, after a place: for taking all of them away. */
export async function listChains(
  db: Database,
  only: string | undefined,
  page: { readonly limit: number; readonly after: Omit<AuditPlace, "at"> | undefined },
): Promise<readonly StoredLine[]> {
  const { conversation, seq, line } = approvalAudit;
  const { after, limit } = page;
  const isAfter =
    after && or(gt(conversation, after.conversation), and(eq(conversation, after.conversation), gt(seq, after.seq)));
  return await db
    .select({ conversation, seq, line })
    .from(approvalAudit)
    .where(and(matches({ conversation: only }), isAfter))
    .orderBy(asc(conversation), asc(seq))
    .limit(limit);
}

/** The newest line of each chain, as it was copied, at most `limit`, after a conversation. */
export async function listHeads(
  db: Database,
  only: string | undefined,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<readonly (typeof approvalAuditHeads.$inferSelect)[]> {
  const { conversation } = approvalAuditHeads;
  return await db
    .select()
    .from(approvalAuditHeads)
    .where(
      and(
        only === undefined ? undefined : eq(conversation, only),
        page.after === undefined ? undefined : gt(conversation, page.after),
      ),
    )
    .orderBy(asc(conversation))
    .limit(page.limit);
}

function matches({ conversation, event, by }: AuditFilter): SQL | undefined {
  return and(
    conversation === undefined ? undefined : eq(approvalAudit.conversation, conversation),
    event === undefined ? undefined : eq(approvalAudit.event, event),
    by === undefined ? undefined : isTheirs(approvalAudit.person, by),
  );
}
