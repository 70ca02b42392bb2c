import type { Database } from "../store/database.ts";
import { readStandingRow } from "../store/person.ts";
import type { OtherId, PersonFacts, Tier } from "./facts.ts";
import { tierAs } from "./other-ids.ts";

/** A person for whom a turn runs, or who decided about a call, as the directory knows them now. */
export interface Speaker {
  readonly principalId: string;
  readonly name: string;
  readonly tier: Tier;
  readonly otherIds?: readonly OtherId[];
  /** Of somebody who is named by a former id: their own tier, where no authority hangs on it. */
  readonly ownTier?: Tier;
}

/** Somebody who is here, as whoever they speak to may know them. */
export function speakerOf({ principalId, name, tier, otherIds }: PersonFacts): Speaker {
  return { principalId, name, tier, ...(otherIds && { otherIds }) };
}

/**
 * Resolves a principal at the moment of use: name and tier now, never those of admission. A former id stays what it is, as
 * what is bound to it says, and stands for the survivor with the lower tier of the two.
 * @param identity when given, it must still be linked to the principal.
 * @returns undefined when they may not act any more.
 * @throws when the database cannot be read.
 */
export async function readSpeaker(db: Database, principalId: string, identity?: string): Promise<Speaker | undefined> {
  const row = await readStandingRow(db, { principalId, identity: identity ?? "" });
  if (!row || row.disabledAt !== null) return undefined;
  if (identity !== undefined && row.linkedIdentity === null) return undefined;
  const { name, tier: ownTier, otherIds } = row;
  const known = otherIds.length === 0 ? {} : { otherIds };
  if (principalId === row.principalId) return { principalId, name, tier: ownTier, ...known };
  const tier = tierAs({ ...row, ...known }, principalId) ?? "guest";
  const others = [{ id: row.principalId, tier }, ...otherIds.filter(({ id }) => id !== principalId)];
  return { principalId, name, tier, otherIds: others, ownTier };
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
