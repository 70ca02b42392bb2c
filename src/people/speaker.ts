import type { Database } from "../store/database.ts";
import { readPersonRow } from "../store/person.ts";
import type { Tier } from "./facts.ts";

/** A person for whom a turn runs, or who decided about a call, as the directory knows them now. */
export interface Speaker {
  readonly principalId: string;
  readonly name: string;
  readonly tier: Tier;
}

/**
 * Resolves a principal at the moment of use: name and tier now, never those of admission.
 * @param identity when given, it must still be linked to the principal.
 * @returns undefined when they may not act any more.
 * @throws when the database cannot be read.
 */
export async function readSpeaker(db: Database, principalId: string, identity?: string): Promise<Speaker | undefined> {
  const row = await readPersonRow(db, { principalId, identity: identity ?? "", sessionHash: "" });
  if (!row || row.disabledAt !== null) return undefined;
  if (identity !== undefined && row.linkedIdentity === null) return undefined;
  return { principalId: row.principalId, name: row.name, tier: row.tier };
}
