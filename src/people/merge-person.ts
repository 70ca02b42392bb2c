import { canonicalJson } from "../lib/canonical.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { sha256Hex } from "../lib/sha256.ts";
import type { Database } from "../store/database.ts";
import { countOfPerson } from "../store/erasures.ts";
import { countOtherOwners, type PersonRecord, readPersonRecord } from "../store/people.ts";
import { NO_PERSON } from "./change-person.ts";
import { CONFIGURED, ERASED, LAST_OWNER, MERGED } from "./decide-change.ts";
import { CONFIRMED, MERGING } from "./erase-person.ts";
import { MAX_IDENTITIES } from "./max-identities.ts";
import type { Refused, Verdict } from "./may-act.ts";
import { MAX_FORMER_IDS } from "./other-ids.ts";

/** Who is to become one with whom: `person` is no more from then on, `into` stays who they are. */
export interface MergePair {
  readonly person: string;
  readonly into: string;
}

/** What merging two would move, and what whoever confirms it names it by. */
export interface MergePreview {
  readonly person: Named;
  readonly into: Named;
  readonly stores: readonly { readonly store: string; readonly found: number }[];
  readonly digest: string;
}

type Named = Pick<PersonRecord, "id" | "name" | "tier">;

/** What the deployment says about owners. */
export interface OwnerRules {
  /** Identities that make an owner: those of the configuration. */
  readonly configured: readonly string[];
  /** The identity of whoever spends an owner's code. */
  readonly byCode: string;
}

const LAYOUT = "althing.merge.v1";

/** @param holdings rows of each store of the person's own object; asked for two who may be merged. */
export async function previewMerge(
  db: Database,
  pair: MergePair,
  rules: OwnerRules,
  holdings: () => Promise<Readonly<Record<string, number>>>,
): Promise<Result<MergePreview, Refused>> {
  const [person, into, counts, otherOwners] = await Promise.all([
    readPersonRecord(db, pair.person),
    readPersonRecord(db, pair.into),
    countOfPerson(db, pair.person),
    countOtherOwners(db, pair.person),
  ]);
  if (!person || !into) return err(NO_PERSON);
  const verdict = mayBeMerged(person, into, { ...rules, otherOwners });
  if (!verdict.ok) return verdict;
  const stores = Object.entries({ ...counts, ...(await holdings()) }).map(([store, found]) => ({ store, found }));
  const [one, other] = [named(person), named(into)];
  const shown = [LAYOUT, { ...one }, { ...other }, ...CONFIRMED.map((store) => counts[store])];
  return ok({ person: one, into: other, stores, digest: sha256Hex(canonicalJson(shown)) });
}

function named({ id, name, tier }: PersonRecord): Named {
  return { id, name, tier };
}

/** Whether the first may become one with the second, whoever wants it. Pure. @param otherOwners enabled ones but the first. */
export function mayBeMerged(
  person: PersonRecord,
  into: PersonRecord,
  { configured, byCode, otherOwners }: OwnerRules & { readonly otherOwners: number },
): Verdict {
  if (person.id === into.id) return err(WITH_ONESELF);
  for (const one of [person, into]) {
    if (one.erasedAt !== null) return err(ERASED);
    if (one.mergedInto !== null) return err(MERGED);
    if (one.disabledAt !== null) return err(SWITCHED_OFF);
  }
  if (person.formers.some(({ finishedAt }) => finishedAt === null)) return err(MERGING);
  const has = (ids: readonly string[]) => person.identities.some(({ id }) => ids.includes(id));
  if (!into.configuredOwner && (person.configuredOwner || has(configured))) return err(CONFIGURED);
  if (into.tier !== "owner" && has([byCode])) return err(OWNER_BY_CODE);
  if (person.tier === "owner" && otherOwners === 0) return err(LAST_OWNER);
  const identities = person.identities.length + into.identities.length;
  if (identities > MAX_IDENTITIES) return err(tooMany(identities, MAX_IDENTITIES, "identities", "Unlink some first."));
  const formers = person.formers.length + into.formers.length + 1;
  if (formers <= MAX_FORMER_IDS) return { ok: true };
  return err(tooMany(formers, MAX_FORMER_IDS, "former ids", "No more people become one with this one."));
}

const WITH_ONESELF: Refused = {
  code: "bad_request",
  message: "Nobody becomes one with themselves: name somebody else who stays.",
};
const SWITCHED_OFF: Refused = {
  code: "conflict",
  message: "One of the two is switched off, and whoever stays would have what that took away. Switch them on first.",
};
const OWNER_BY_CODE: Refused = {
  code: "forbidden",
  message:
    "Whoever spends an owner's code becomes this person, and whoever stays would become an owner with it. Merge them the other way round.",
};

function tooMany(count: number, limit: number, what: string, remedy: string): Refused {
  return { code: "too_large", message: `Together they would have ${count} ${what}, the limit is ${limit}. ${remedy}` };
}
