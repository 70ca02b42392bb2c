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

/** Stores what a rewindable slice is from a revision on. A commit has one version of it. */
export function writeVersion(storage: StoragePort, name: string, rev: number, body: string): void {
  storage.sql.exec(
    "INSERT INTO namespace_versions (name, rev, body) VALUES (?, ?, ?) " +
      "ON CONFLICT (name, rev) DO UPDATE SET body = excluded.body",
    name,
    rev,
    body,
  );
}

/** Each name with versions once, found by skipping from one to the next: versions in between are not read. */
const NAMES =
  "WITH RECURSIVE names(name) AS (SELECT min(name) FROM namespace_versions UNION ALL " +
  "SELECT (SELECT min(name) FROM namespace_versions WHERE name > names.name) FROM names WHERE names.name IS NOT NULL) ";

/** Every rewindable slice by name as it was at a revision; those that had none yet are left out. */
export function readVersionsAt(storage: StoragePort, rev: number): Map<string, JsonObject> {
  const rows = storage.sql
    .exec<{ name: string; body: string | null }>(
      `${NAMES}SELECT name, (SELECT body FROM namespace_versions v WHERE v.name = names.name AND v.rev <= ? ` +
        "ORDER BY v.rev DESC LIMIT 1) AS body FROM names WHERE name IS NOT NULL",
      rev,
    )
    .toArray();
  return new Map(rows.flatMap(({ name, body }) => (body === null ? [] : [[name, JSON.parse(body) as JsonObject]])));
}

/** One rewindable slice as it was at a revision; undefined when there was none yet. */
export function readVersionAt(storage: StoragePort, name: string, rev: number): JsonObject | undefined {
  const [row] = storage.sql
    .exec<{ body: string }>(
      "SELECT body FROM namespace_versions WHERE name = ? AND rev <= ? ORDER BY rev DESC LIMIT 1",
      name,
      rev,
    )
    .toArray();
  return row && (JSON.parse(row.body) as JsonObject);
}
