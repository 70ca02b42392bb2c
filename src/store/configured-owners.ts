import { and, eq, inArray, ne, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { identities } from "./identities.ts";
import { peopleAudit } from "./people-audit.ts";
import { principals } from "./principals.ts";

/**
 * Makes owners of the people whom the configuration names, and members of those it names no longer. Whoever would be the
 * last owner stays one. Writes nothing when all is so already.
 * @param ids a ULID for each line of audit, made from this one and the person.
 */
export async function syncConfiguredOwners(
  db: Database,
  named: readonly string[],
  { now, id }: { readonly now: number; readonly id: string },
): Promise<void> {
  const isNamed = inArray(
    principals.id,
    db
      .select({ id: identities.principalId })
      .from(identities)
      .where(inArray(identities.id, [...named])),
  );
  const gains = and(isNamed, or(ne(principals.tier, "owner"), eq(principals.configuredOwner, false)));
  // Another owner who stays: enabled, and named or an owner for another reason. Of several who all go, the first stays.
  const other = sql`exists (select 1 from principals as other where other.id <> ${principals.id} and other.tier = 'owner'
    and other.disabled_at is null and (other.configured_owner = 0 or other.id < ${principals.id} or exists
    (select 1 from identities where identities.principal_id = other.id and ${inArray(identities.id, [...named])})))`;
  const loses = and(eq(principals.configuredOwner, true), sql`not ${isNamed}`, other);
  const line = (to: string, which: SQL | undefined) =>
    db
      .insert(peopleAudit)
      .select(sql`select ${id} || ${principals.id}, ${now}, 'configuration', 'tier', ${principals.id},
      json_object('from', ${principals.tier}, 'to', ${to}) from ${principals} where ${which}`);
  await db.batch([
    line("owner", gains),
    db.update(principals).set({ tier: "owner", configuredOwner: true }).where(gains),
    line("member", loses),
    db.update(principals).set({ tier: "member", configuredOwner: false }).where(loses),
  ]);
}
