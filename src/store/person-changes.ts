import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { identities } from "./identities.ts";
import { isEnabledOwner, isOtherOwner } from "./people.ts";
import { type AuditRow, isWritten, readAuditLine, writeAudit } from "./people-audit.ts";
import { principals } from "./principals.ts";
import { sessions } from "./sessions.ts";

/** What is to be changed about one person. */
export type PersonChange =
  | { readonly kind: "tier"; readonly tier: "guest" | "member" | "admin" }
  | { readonly kind: "disable" }
  | { readonly kind: "enable" }
  | { readonly kind: "unlink"; readonly identity: string };

/** A change by an owner, and what it was decided on. */
export interface OwnersChange {
  readonly change: PersonChange;
  readonly audit: AuditRow;
  /** The person as they were read. */
  readonly seen: { readonly tier: (typeof principals.$inferSelect)["tier"]; readonly disabled: boolean };
  /** Whether this takes an owner away, so that another must be left. */
  readonly needsOtherOwner: boolean;
}

/** Makes the change with its line of audit, in one transaction. @returns false when it no longer holds. */
export async function writeOwnersChange(db: Database, change: OwnersChange): Promise<boolean> {
  const { actor, target } = change.audit;
  const isAsSeen = sql`exists (select 1 from ${principals} where ${principals.id} = ${target}
    and ${principals.tier} = ${change.seen.tier} and (${principals.disabledAt} is not null) = ${change.seen.disabled ? 1 : 0})`;
  const isLeft = change.needsOtherOwner
    ? sql`exists (select 1 from ${principals} where ${isOtherOwner(target)})`
    : sql`true`;
  return await write(db, change, sql`${isEnabledOwner(actor)} and ${isAsSeen} and ${isLeft}`);
}

/** A person gives up an identity of their own; another one must be left. @returns false when it no longer holds. */
export async function writeOwnUnlink(
  db: Database,
  unlink: { readonly identity: string; readonly keep: string; readonly audit: AuditRow },
): Promise<boolean> {
  const { identity, keep, audit } = unlink;
  const isOthers = sql`exists (select 1 from ${identities} where ${identities.id} = ${keep}
    and ${identities.principalId} = ${audit.target})`;
  return await write(db, { change: { kind: "unlink", identity }, audit }, isOthers);
}

async function write(
  db: Database,
  { change, audit }: { readonly change: PersonChange; readonly audit: AuditRow },
  holds: SQL,
): Promise<boolean> {
  const isHeld =
    change.kind === "unlink"
      ? sql`${holds} and exists (select 1 from ${identities} where ${identities.id} = ${change.identity}
          and ${identities.principalId} = ${audit.target})`
      : holds;
  const [effect, ended] = effects(db, change, audit);
  const results = await db.batch([writeAudit(db, audit, isHeld), effect, ended, readAuditLine(db, audit.id)]);
  return results[3].length === 1;
}

/** The change itself, and the sessions that end with it. */
function effects(db: Database, change: PersonChange, { id, at, target }: AuditRow) {
  const isDone = isWritten(id);
  const person = and(eq(principals.id, target), isDone);
  const live = and(eq(sessions.principalId, target), isNull(sessions.revokedAt), isDone);
  const endSessions = (which: SQL) => db.update(sessions).set({ revokedAt: at }).where(and(live, which));
  switch (change.kind) {
    case "tier":
      return [db.update(principals).set({ tier: change.tier }).where(person), endSessions(sql`false`)] as const;
    case "disable":
      return [db.update(principals).set({ disabledAt: at }).where(person), endSessions(sql`true`)] as const;
    case "enable":
      return [db.update(principals).set({ disabledAt: null }).where(person), endSessions(sql`false`)] as const;
    case "unlink":
      return [
        db
          .delete(identities)
          .where(and(eq(identities.id, change.identity), eq(identities.principalId, target), isDone)),
        endSessions(eq(sessions.identity, change.identity)),
      ] as const;
  }
}
