import { must } from "../../lib/assert.ts";
import type { StoragePort } from "../ports/storage.ts";

export function insertControl(storage: StoragePort, body: string): void {
  storage.sql.exec("INSERT INTO control (id, body) VALUES (1, ?)", body);
}

export function updateControl(storage: StoragePort, body: string): void {
  storage.sql.exec("UPDATE control SET body = ? WHERE id = 1", body);
}

export function readControl(storage: StoragePort): string {
  const [row] = storage.sql.exec<{ body: string }>("SELECT body FROM control WHERE id = 1").toArray();
  return must(row, "storage was migrated without a control row").body;
}
