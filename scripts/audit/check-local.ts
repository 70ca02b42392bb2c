import type { AuditReport } from "../../src/holds/audit/verify-export.ts";
import { whileBusy } from "../local/retry.ts";
import { readSettings } from "../local/settings.ts";
import { openLocalDatabase } from "../local/state.ts";
import { verifyDatabase } from "./verify-database.ts";

/** Checks the copies that the local database has, beside a server that may be running. */
export async function checkLocal(root: string): Promise<AuditReport> {
  const database = await openLocalDatabase(root, readSettings(root, process.env).state);
  try {
    return await whileBusy(() => verifyDatabase(database.d1));
  } finally {
    await database.close();
  }
}
