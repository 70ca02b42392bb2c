import type { ErasurePreviewBody, ErasuresPage } from "../../../src/protocol/erasures.ts";
import type { MergePreviewBody } from "../../../src/protocol/merges.ts";
import type {
  AuditPage,
  GivenTier,
  Invitation,
  Invited,
  LinkPreview,
  OwnIdentity,
  PeoplePage,
} from "../../../src/protocol/people.ts";
import type { Call, Reply } from "./rest.ts";

/** The REST calls about one's own sign-ins and, for owners, about the people here. */
export interface PeopleRest {
  identities(): Reply<{ readonly identities: readonly OwnIdentity[] }>;
  unlinkOwn(identity: string): Reply<unknown>;
  /** What a code would link, and to whom. */
  readCode(code: string): Reply<LinkPreview>;
  linkCode(code: string, identity: string): Reply<unknown>;
  /** What a provider has just vouched for, and to whom it would be linked. */
  pending(): Reply<LinkPreview>;
  linkPending(identity: string): Reply<unknown>;
  refusePending(): Reply<unknown>;
  people(after: string | undefined): Reply<PeoplePage>;
  setTier(person: string, tier: GivenTier): Reply<unknown>;
  switchOff(person: string): Reply<unknown>;
  switchOn(person: string): Reply<unknown>;
  unlink(person: string, identity: string): Reply<unknown>;
  invitations(): Reply<{ readonly invitations: readonly Invitation[] }>;
  invite(tier: GivenTier): Reply<Invited>;
  takeBack(invitation: string): Reply<unknown>;
  changes(after: string | undefined): Reply<AuditPage>;
  /** What erasing would take away. Without a person: oneself. */
  erasure(person?: string): Reply<ErasurePreviewBody>;
  /** Who was erased or is being erased, newest first. */
  erasures(after: string | undefined): Reply<ErasuresPage>;
  /** @param digest of what was shown. */
  erase(digest: string, person?: string): Reply<unknown>;
  /** What making a person one with another would move. */
  merging(person: string, into: string): Reply<MergePreviewBody>;
  /** @param digest of what was shown. */
  merge(person: string, into: string, digest: string): Reply<unknown>;
}

/** People and lines of audit read at once. */
const PAGE = 50;

export function createPeopleRest(call: Call): PeopleRest {
  const own = "/api/v1/me/identities";
  const people = "/api/v1/people";
  const at = (person: string, what: string) => `${people}/${encodeURIComponent(person)}/${what}`;
  const eraseAt = (person: string | undefined) => (person === undefined ? "/api/v1/me/erase" : at(person, "erase"));
  const page = (after: string | undefined) =>
    `?limit=${PAGE}${after === undefined ? "" : `&before=${encodeURIComponent(after)}`}`;
  return {
    identities: () => call("GET", own),
    unlinkOwn: (identity) => call("POST", `${own}/unlink`, { identity }),
    readCode: (code) => call("POST", "/api/v1/me/link-codes", { code }),
    linkCode: (code, identity) => call("POST", "/api/v1/me/link-codes/confirm", { code, identity }),
    pending: () => call("GET", `${own}/pending`),
    linkPending: (identity) => call("POST", `${own}/pending`, { identity }),
    refusePending: () => call("DELETE", `${own}/pending`),
    people: (after) => call("GET", `${people}${page(after)}`),
    setTier: (person, tier) => call("POST", at(person, "tier"), { tier }),
    switchOff: (person) => call("POST", at(person, "disable"), {}),
    switchOn: (person) => call("POST", at(person, "enable"), {}),
    unlink: (person, identity) => call("POST", at(person, "unlink"), { identity }),
    invitations: () => call("GET", `${people}/invitations`),
    invite: (tier) => call("POST", `${people}/invitations`, { tier }),
    takeBack: (invitation) => call("POST", `${people}/invitations/${encodeURIComponent(invitation)}/revoke`, {}),
    erasure: (person) => call("GET", eraseAt(person)),
    erase: (digest, person) => call("POST", eraseAt(person), { digest }),
    erasures: (after) => call("GET", `${people}/erasures${page(after)}`),
    merging: (person, into) => call("GET", `${at(person, "merge")}?into=${encodeURIComponent(into)}`),
    merge: (person, into, digest) => call("POST", at(person, "merge"), { into, digest }),
    changes: (after) => call("GET", `${people}/audit${page(after)}`),
  };
}
