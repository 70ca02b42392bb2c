import { canonicalJson } from "../../lib/canonical.ts";
import type { AuditEvent } from "../../protocol/audit-events.ts";
import type { HoldRecord } from "../record/record.ts";

/**
 * What happened to a hold between two of its records, in order. Whatever differs is told of: a difference that has no word
 * of its own is `amended`, but for the place on a list that is shown anew.
 */
export function eventsBetween(before: HoldRecord | undefined, after: HoldRecord): readonly AuditEvent[] {
  if (before === undefined) return [spentAt(after) === null ? "opened" : "allowed"];
  if (canonicalJson(withoutPlace(before)) === canonicalJson(withoutPlace(after))) return [];
  const events: AuditEvent[] = [];
  if (before.status !== after.status) events.push(wordOf(after.status));
  if (remindedAt(before) === null && remindedAt(after) !== null) events.push("reminded");
  if (spentAt(before) === null && spentAt(after) !== null) events.push("spent");
  if (after.deadline > before.deadline) events.push("extended");
  if (after.askedOf && before.askedOf?.principalId !== after.askedOf.principalId) events.push("handed_over");
  if (before.askedAgainAt === undefined && after.askedAgainAt !== undefined) events.push("asked_again");
  return events.length > 0 ? events : ["amended"];
}

/** Whether a list was shown, and not which of many. */
function withoutPlace(record: HoldRecord): HoldRecord {
  return record.unshown?.listed ? { ...record, unshown: { listed: SOMEWHERE } } : record;
}

const SOMEWHERE = { reply: "", number: 0, at: 0 } as const;

function wordOf(status: HoldRecord["status"]): AuditEvent {
  if (status === "pending") return "released";
  return status === "open" ? "amended" : status;
}

function remindedAt(record: HoldRecord): number | null {
  return "remindedAt" in record ? record.remindedAt : null;
}

function spentAt(record: HoldRecord): number | null {
  return record.status === "approved" ? record.spentAt : null;
}
