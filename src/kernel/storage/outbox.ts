import type { StoragePort } from "../ports/storage.ts";

/** Puts a row, replacing an unsent one under the same key. */
export function writeOutbox(storage: StoragePort, key: string, target: string, payload: string): void {
  storage.sql.exec(
    "INSERT INTO outbox (key, target, payload) VALUES (?, ?, ?) " +
      "ON CONFLICT (key) DO UPDATE SET target = excluded.target, payload = excluded.payload",
    key,
    target,
    payload,
  );
}

export function readOutboxPayload(storage: StoragePort, key: string): string | undefined {
  return storage.sql.exec<{ payload: string }>("SELECT payload FROM outbox WHERE key = ?", key).toArray()[0]?.payload;
}

export function deleteOutbox(storage: StoragePort, key: string): void {
  storage.sql.exec("DELETE FROM outbox WHERE key = ?", key);
}
