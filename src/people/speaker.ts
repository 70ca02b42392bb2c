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

/** Speakers remembered at once. */
const MAX_REMEMBERED = 100;

/** Resolves speakers with answers at most `maxAgeMs` old: for what a step is offered, never for a decision. */
export function rememberSpeakers(
  read: (principalId: string, identity?: string) => Promise<Speaker | undefined>,
  clock: { now(): number },
  maxAgeMs: number,
): (principalId: string, identity?: string) => Promise<Speaker | undefined> {
  const known = new Map<string, { readonly speaker: Speaker | undefined; readonly askedAt: number }>();
  return async (principalId, identity) => {
    const key = `${principalId} ${identity ?? ""}`;
    const remembered = known.get(key);
    const askedAt = clock.now();
    if (remembered && askedAt - remembered.askedAt < maxAgeMs) return remembered.speaker;
    const speaker = await read(principalId, identity);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(key, { speaker, askedAt });
    return speaker;
  };
}
