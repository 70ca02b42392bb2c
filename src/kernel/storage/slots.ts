import type { Json } from "../../lib/json.ts";
import type { StoragePort } from "../ports/storage.ts";

/** A task's working state. Dies with the task. */
export function writeSlot(storage: StoragePort, task: number, body: string): void {
  storage.sql.exec(
    "INSERT INTO slots (task, body) VALUES (?, ?) ON CONFLICT (task) DO UPDATE SET body = excluded.body",
    task,
    body,
  );
}

export function readSlot(storage: StoragePort, task: number): Json | undefined {
  const [row] = storage.sql.exec<{ body: string }>("SELECT body FROM slots WHERE task = ?", task).toArray();
  return row && (JSON.parse(row.body) as Json);
}

export function deleteSlot(storage: StoragePort, task: number): void {
  storage.sql.exec("DELETE FROM slots WHERE task = ?", task);
}
