import { existsSync } from "node:fs";
import type { AuditReport } from "../../src/holds/audit/verify-export.ts";
import { whileBusy } from "../local/retry.ts";
import { readSettings } from "../local/settings.ts";
import { openLocalDatabase } from "../local/state.ts";
import { verifyDatabase } from "./verify-database.ts";

/** Checks the copies that the local database has, beside a server that may be running. Undefined: it has no such table yet. */
export async function checkLocal(root: string): Promise<AuditReport | undefined> {
  const { state } = readSettings(root, process.env);
  if (!existsSync(state)) return undefined;
  const database = await openLocalDatabase(root, state);
  const find = "SELECT name FROM sqlite_master WHERE name = 'approval_audit'";
  try {
    const table = await whileBusy(() => database.d1.prepare(find).first());
    return table === null ? undefined : await whileBusy(() => verifyDatabase(database.d1));
  } finally {
    await database.close();
  }
}
