import { canonicalJson } from "../lib/canonical.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { sha256Hex } from "../lib/sha256.ts";
import type { Database } from "../store/database.ts";
import { type CountedStore, countOfPerson, type ReceiptLine } from "../store/erasures.ts";
import { countOtherOwners, type PersonRecord, readPersonRecord } from "../store/people.ts";
import { CHANGED, NO_PERSON } from "./change-person.ts";
import { CONFIGURED, ERASED, LAST_OWNER, MERGED } from "./decide-change.ts";
import type { Refused, Verdict } from "./may-act.ts";

/** What erasing somebody would take away, and what whoever confirms it names it by. */
export interface ErasurePreview {
  readonly person: Pick<PersonRecord, "id" | "name" | "tier">;
  readonly found: readonly ReceiptLine[];
  readonly digest: string;
}

/** Counts by store. */
type Holdings = () => Promise<Readonly<Record<string, number>>>;

const LAYOUT = "althing.erase.v1";
/** Stores whose counts somebody confirms. The others change while nobody does anything. */
export const CONFIRMED: readonly CountedStore[] = ["identities", "private_conversations", "conversation_members"];

/** @param holdings rows of each store of the person's own object; asked for somebody who is there. */
export async function previewErasure(
  db: Database,
  target: string,
  holdings: Holdings,
): Promise<Result<ErasurePreview, Refused>> {
  const [person, counts, otherOwners] = await Promise.all([
    readPersonRecord(db, target),
    countOfPerson(db, target),
    countOtherOwners(db, target),
  ]);
  if (!person) return err(NO_PERSON);
  const verdict = mayBeErased(person, otherOwners);
  if (!verdict.ok) return verdict;
  const { id, name, tier } = person;
  const found = Object.entries({ ...counts, ...(await holdings()) }).map(([store, n]) => ({
    store,
    found: n,
    left: null,
  }));
  const shown = [LAYOUT, id, name, tier, ...CONFIRMED.map((store) => counts[store])];
  return ok({ person: { id, name, tier }, found, digest: sha256Hex(canonicalJson(shown)) });
}

/** As {@link previewErasure}, for whoever has seen one: `conflict` when it says something else by now. */
export async function confirmErasure(
  db: Database,
  confirmed: { readonly target: string; readonly digest: string },
  holdings: Holdings,
): Promise<Result<ErasurePreview, Refused>> {
  const preview = await previewErasure(db, confirmed.target, holdings);
  return preview.ok && preview.value.digest !== confirmed.digest ? err(CHANGED) : preview;
}

export const MERGING: Refused = {
  code: "conflict",
  message: "Somebody is just becoming one with this person. Try again once that is finished.",
};

/** Whether this person may be erased at all, whoever wants it. Pure. @param otherOwners enabled owners apart from them. */
function mayBeErased(person: PersonRecord, otherOwners: number): Verdict {
  if (person.erasedAt !== null) return err(ERASED);
  if (person.mergedInto !== null) return err(MERGED);
  if (person.formers.some(({ finishedAt }) => finishedAt === null)) return err(MERGING);
  if (person.configuredOwner) return err(CONFIGURED);
  const isOwner = person.tier === "owner" && person.disabledAt === null;
  return isOwner && otherOwners === 0 ? err(LAST_OWNER) : { ok: true };
}
