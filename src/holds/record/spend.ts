import { err, ok, type Result } from "../../lib/result.ts";
import type { ApprovedHold, HoldRecord } from "./record.ts";

/** The execution that wants to use an approval. */
export interface Execution {
  readonly task: number;
  /** Recomputed from the facts of this moment. */
  readonly digest: string;
}

export type SpendRefusal = "not_approved" | "already_spent" | "other_task" | "changed";

/** Uses an approval for its one execution. To be committed together with the start of the call, or not at all. */
export function spendHold(
  record: HoldRecord | undefined,
  execution: Execution,
  now: number,
): Result<ApprovedHold, SpendRefusal> {
  if (record?.status !== "approved") return err("not_approved");
  if (record.spentAt !== null) return err("already_spent");
  if (record.task !== execution.task) return err("other_task");
  if (record.digest !== execution.digest) return err("changed");
  return ok({ ...record, spentAt: now });
}
