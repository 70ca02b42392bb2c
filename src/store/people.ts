import { and, asc, eq, gt, inArray, isNull, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { identities } from "./identities.ts";
import { principals } from "./principals.ts";

export type IdentityRow = typeof identities.$inferSelect;

/** A person with every way in which they are recognised. */
export type PersonRecord = typeof principals.$inferSelect & { readonly identities: readonly IdentityRow[] };

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
  const [people, known] = await db.batch([
    db.select().from(principals).where(inArray(principals.id, ids)).orderBy(asc(principals.id)),
    db.select().from(identities).where(inArray(identities.principalId, ids)).orderBy(asc(identities.id)),
  ]);
  const byPerson = Map.groupBy(known, ({ principalId }) => principalId);
  return people.map((person) => ({ ...person, identities: byPerson.get(person.id) ?? [] }));
}

/** One person; undefined when there is none. */
export async function readPersonRecord(db: Database, principalId: string): Promise<PersonRecord | undefined> {
  const [[person], known] = await db.batch([
    db.select().from(principals).where(eq(principals.id, principalId)),
    db.select().from(identities).where(eq(identities.principalId, principalId)).orderBy(asc(identities.id)),
  ]);
  return person && { ...person, identities: known };
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
