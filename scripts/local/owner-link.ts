import { webcrypto } from "node:crypto";
import { issueOwnerCode } from "../../src/auth/issue-owner-code.ts";
import { openDatabase } from "../../src/store/database.ts";
import { whileBusy } from "./retry.ts";
import type { LocalSettings } from "./settings.ts";
import { openLocalDatabase } from "./state.ts";
import { bringUpToDate } from "./up-to-date.ts";

/** Brings the local database up to date and makes a one-time link for its owner. */
export async function makeOwnerLink(root: string, { url, state }: LocalSettings): Promise<string> {
  const database = await openLocalDatabase(root, state);
  try {
    await bringUpToDate(database.d1, root);
    const random = (bytes: Uint8Array) => webcrypto.getRandomValues(bytes);
    const code = await whileBusy(() => issueOwnerCode(openDatabase(database.d1), Date.now(), random));
    // A fragment is neither sent to a server nor written to a log.
    return `${url}/claim#${code}`;
  } finally {
    await database.close();
  }
}
