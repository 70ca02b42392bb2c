import type { JsonObject } from "../../lib/json.ts";
import type { StoragePort } from "../ports/storage.ts";

export function writeNamespace(storage: StoragePort, name: string, body: string): void {
  storage.sql.exec(
    "INSERT INTO namespaces (name, body) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body",
    name,
    body,
  );
}

/** Every stored slice by name. */
export function readNamespaces(storage: StoragePort): Map<string, JsonObject> {
  const rows = storage.sql.exec<{ name: string; body: string }>("SELECT name, body FROM namespaces").toArray();
  return new Map(rows.map((row) => [row.name, JSON.parse(row.body) as JsonObject]));
}
