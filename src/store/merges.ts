import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { formerIds, isAtRest } from "./former-ids.ts";
import { identities } from "./identities.ts";
import { invitations } from "./invitations.ts";
import { isCodeOf, linkCodes } from "./link-codes.ts";
import { isEnabledOwner, isOtherOwner } from "./people.ts";
import { type AuditRow, isWritten, writeAudit } from "./people-audit.ts";
import { principals } from "./principals.ts";
import { isWindowOf, rateWindows } from "./rate-windows.ts";
import { sessions } from "./sessions.ts";

type Tier = (typeof principals.$inferSelect)["tier"];

/** Somebody who becomes one with somebody else. */
export interface Merge {
  /** Its target is the one who is no more from then on. */
  readonly audit: AuditRow;
  readonly survivor: string;
  /** The tiers of the two, as it was decided on. */
  readonly seen: { readonly person: Tier; readonly survivor: Tier };
  readonly limits: { readonly identities: number; readonly formerIds: number };
}

/**
 * Makes, in one transaction, a person a former id of another: every way in and every former id of theirs leads there, and
 * what would let them in as themselves ends. Done again it changes nothing. @returns false when it no longer holds.
 */
export async function mergePrincipals(db: Database, { audit, survivor, seen, limits }: Merge): Promise<boolean> {
  const { id, at, actor, target } = audit;
  const isDone = isWritten(id);
  const isOf = (owner: SQL | undefined) => and(owner, isDone);
  const isAs = (person: string, tier: Tier) => sql`exists (select 1 from ${principals} where id = ${person}
    and tier = ${tier} and disabled_at is null and erased_at is null)`;
  const areThere = sql`${isAs(target, seen.person)} and ${isAs(survivor, seen.survivor)}`;
  const isFree = sql`not exists (select 1 from ${principals} as two where two.id = ${target} and two.configured_owner = 1
    and not exists (select 1 from ${principals} as one where one.id = ${survivor} and one.configured_owner = 1))`;
  const isLeft = sql`(exists (select 1 from ${principals} where ${isOtherOwner(target)}) or not ${isEnabledOwner(target)})`;
  const haveRoom = sql`(select count(*) from ${identities} where principal_id in (${target}, ${survivor})) <= ${limits.identities}
    and (select count(*) from ${formerIds} where survivor in (${target}, ${survivor})) < ${limits.formerIds}`;
  const results = await db.batch([
    writeAudit(
      db,
      audit,
      sql`${isEnabledOwner(actor)} and ${areThere} and ${isFree} and ${isLeft} and ${haveRoom} and ${isAtRest(target)}`,
    ),
    db.delete(linkCodes).where(isOf(isCodeOf(target))),
    db
      .update(identities)
      .set({ principalId: survivor })
      .where(isOf(eq(identities.principalId, target))),
    db
      .update(sessions)
      .set({ revokedAt: at })
      .where(isOf(and(eq(sessions.principalId, target), isNull(sessions.revokedAt)))),
    db.delete(invitations).where(isOf(and(eq(invitations.createdBy, target), isNull(invitations.spentBy)))),
    db.delete(rateWindows).where(isOf(isWindowOf(target))),
    db
      .update(formerIds)
      .set({ survivor, tier: lowerOf(target) })
      .where(isOf(eq(formerIds.survivor, target))),
    db
      .insert(formerIds)
      .select(
        sql`select ${target}, ${survivor}, tier, ${at}, ${actor}, null from ${principals} where id = ${target} and ${isDone}`,
      )
      .onConflictDoNothing(),
    db
      .update(principals)
      .set({ disabledAt: at })
      .where(isOf(and(eq(principals.id, target), isNull(principals.disabledAt)))),
    db
      .select({ former: formerIds.former })
      .from(formerIds)
      .where(and(eq(formerIds.former, target), eq(formerIds.survivor, survivor))),
  ]);
  return results[9].length === 1;
}

/** Of a row's tier and that of the person in between, the lower. */
function lowerOf(between: string): SQL {
  const rank = (tier: SQL) => sql`instr('guest member admin owner', ${tier})`;
  const other = sql`(select tier from ${principals} where id = ${between})`;
  return sql`case when ${rank(sql`former_ids.tier`)} < ${rank(other)} then former_ids.tier else ${other} end`;
}

/** Everything that the former had of their own is the survivor's. */
export async function finishMerge(db: Database, former: string, at: number): Promise<void> {
  await db
    .update(formerIds)
    .set({ finishedAt: at })
    .where(and(eq(formerIds.former, former), isNull(formerIds.finishedAt)));
}

/** Who somebody is by now; undefined: nobody else. */
export async function readSurvivor(db: Database, former: string): Promise<string | undefined> {
  const [row] = await db.select({ survivor: formerIds.survivor }).from(formerIds).where(eq(formerIds.former, former));
  return row?.survivor;
}
