import type { StoragePort } from "../ports/storage.ts";

/** How a task ended. `faulted`: its kind broke its contract. */
export type TaskOutcome = "completed" | "failed" | "aborted" | "faulted";

/** The receipt of a finished task. */
export interface Receipt {
  readonly task: number;
  readonly kind: string;
  readonly outcome: TaskOutcome;
}

export function insertReceipt(storage: StoragePort, receipt: Receipt): void {
  const { task, kind, outcome } = receipt;
  storage.sql.exec("INSERT INTO done (task, kind, outcome) VALUES (?, ?, ?)", task, kind, outcome);
}

export function readReceipt(storage: StoragePort, task: number): Receipt | undefined {
  const [row] = storage.sql
    .exec<{ kind: string; outcome: string }>("SELECT kind, outcome FROM done WHERE task = ?", task)
    .toArray();
  return row && { task, kind: row.kind, outcome: row.outcome as TaskOutcome };
}
