import type { Database } from "../store/database.ts";
import { insertOwnerCode } from "../store/owner-codes.ts";
import { hashCode } from "./code.ts";
import { newOwnerCode, OWNER_CODE_MS } from "./owner-code.ts";
import type { FillRandom } from "./secret.ts";

/** Makes a one-time code of the owner. Only its hash is stored; the code itself is the caller's to show once. */
export async function issueOwnerCode(db: Database, now: number, random: FillRandom): Promise<string> {
  const code = newOwnerCode(random);
  await insertOwnerCode(db, { hash: await hashCode(code), createdAt: now, expiresAt: now + OWNER_CODE_MS });
  return code;
}
