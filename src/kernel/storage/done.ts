import type { Json } from "../../lib/json.ts";
import type { StoragePort } from "../ports/storage.ts";

/** How a task ended. `faulted`: its kind broke its contract. */
export type TaskOutcome = "completed" | "failed" | "aborted" | "faulted";

/** The receipt of a finished task. */
export interface Receipt {
  readonly task: number;
  readonly kind: string;
  readonly outcome: TaskOutcome;
  /** What it came to, or why it did not. */
  readonly result?: Json;
}

export function insertReceipt(storage: StoragePort, receipt: Omit<Receipt, "result">, result: string | null): void {
  const { task, kind, outcome } = receipt;
  storage.sql.exec("INSERT INTO done (task, kind, outcome, result) VALUES (?, ?, ?, ?)", task, kind, outcome, result);
}

export function readReceipt(storage: StoragePort, task: number): Receipt | undefined {
  const [row] = storage.sql
    .exec<{ kind: string; outcome: string; result: string | null }>(
      "SELECT kind, outcome, result FROM done WHERE task = ?",
      task,
    )
    .toArray();
  if (!row) return undefined;
  const receipt = { task, kind: row.kind, outcome: row.outcome as TaskOutcome };
  return row.result === null ? receipt : { ...receipt, result: JSON.parse(row.result) as Json };
}

/** Takes away what a finished task came to; how it ended stays. */
export function forgetResult(storage: StoragePort, task: number): void {
  storage.sql.exec("UPDATE done SET result = NULL WHERE task = ?", task);
}
