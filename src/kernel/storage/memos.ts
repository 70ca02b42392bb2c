import type { Json } from "../../lib/json.ts";
import type { StoragePort } from "../ports/storage.ts";

/** Inserts unless a value stands there. `null` is a value. */
export function insertMemo(storage: StoragePort, task: number, ns: string, name: string, value: string): void {
  storage.sql.exec(
    "INSERT INTO memos (task, ns, name, value) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    task,
    ns,
    name,
    value,
  );
}

export function readMemo(storage: StoragePort, task: number, ns: string, name: string): { value: Json } | undefined {
  const [row] = storage.sql
    .exec<{ value: string }>("SELECT value FROM memos WHERE task = ? AND ns = ? AND name = ?", task, ns, name)
    .toArray();
  return row && { value: JSON.parse(row.value) as Json };
}

export function deleteMemos(storage: StoragePort, task: number): void {
  storage.sql.exec("DELETE FROM memos WHERE task = ?", task);
}
