import { and, asc, eq, getTableColumns, gt, inArray, isNull, or, type SQLWrapper, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { formerIds } from "./former-ids.ts";
import { identities } from "./identities.ts";
import { principals } from "./principals.ts";

export type IdentityRow = typeof identities.$inferSelect;

type FormerRow = typeof formerIds.$inferSelect;

/** A person with every way in which they are recognised. */
export type PersonRecord = typeof principals.$inferSelect & {
  readonly identities: readonly IdentityRow[];
  /** Of a former id: who they are now. */
  readonly mergedInto: (FormerRow & { readonly name: string }) | null;
  /** Those who became one with this person. */
  readonly formers: readonly FormerRow[];
};

/** At most `limit` people in the order of their ids, after the last one of the page before. */
export async function listPeople(
  db: Database,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<PersonRecord[]> {
  const ids = db
    .select({ id: principals.id })
    .from(principals)
    .where(page.after === undefined ? undefined : gt(principals.id, page.after))
    .orderBy(asc(principals.id))
    .limit(page.limit);
  return await readRecords(db, ids);
}

/** One person; undefined when there is none. */
export async function readPersonRecord(db: Database, principalId: string): Promise<PersonRecord | undefined> {
  const [person] = await readRecords(db, [principalId]);
  return person;
}

async function readRecords(db: Database, ids: string[] | SQLWrapper): Promise<PersonRecord[]> {
  const [people, known, merged] = await db.batch([
    db.select().from(principals).where(inArray(principals.id, ids)).orderBy(asc(principals.id)),
    db.select().from(identities).where(inArray(identities.principalId, ids)).orderBy(asc(identities.id)),
    db
      .select({ ...getTableColumns(formerIds), name: principals.name })
      .from(formerIds)
      .innerJoin(principals, eq(principals.id, formerIds.survivor))
      .where(or(inArray(formerIds.former, ids), inArray(formerIds.survivor, ids)))
      .orderBy(asc(formerIds.former)),
  ]);
  const byPerson = Map.groupBy(known, ({ principalId }) => principalId);
  return people.map((person) => ({
    ...person,
    identities: byPerson.get(person.id) ?? [],
    mergedInto: merged.find(({ former }) => former === person.id) ?? null,
    formers: merged.filter(({ survivor }) => survivor === person.id),
  }));
}

/** What people are called. Whoever is unknown is left out. @param ids at most 90. */
export async function readNames(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .select({ id: principals.id, name: principals.name })
    .from(principals)
    .where(inArray(principals.id, [...ids]));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Ids of owners who are not switched off. */
export async function listOwnerIds(db: Database): Promise<readonly string[]> {
  const rows = await db
    .select({ id: principals.id })
    .from(principals)
    .where(and(eq(principals.tier, "owner"), isNull(principals.disabledAt)));
  return rows.map(({ id }) => id);
}

/** Owners who are not switched off, apart from one. */
export async function countOtherOwners(db: Database, principalId: string): Promise<number> {
  return await db.$count(principals, isOtherOwner(principalId));
}

export function isOtherOwner(principalId: string) {
  return sql`${principals.tier} = 'owner' and ${principals.disabledAt} is null and ${principals.id} <> ${principalId}`;
}

/** Whether a principal is an owner who is not switched off. */
export function isEnabledOwner(principalId: string) {
  return sql`exists (select 1 from ${principals} where ${principals.id} = ${principalId} and ${principals.tier} = 'owner'
    and ${principals.disabledAt} is null)`;
}
