import { type PersonFacts, tierAtLeast } from "./facts.ts";
import { mayEnter, type Verdict } from "./may-act.ts";

/** Whether a person may read what was decided everywhere: ids, digests and decisions, also of conversations that they cannot enter. */
export function mayAudit(person: PersonFacts | undefined, now: number): Verdict {
  const entry = mayEnter(person, now);
  if (!entry.ok || person === undefined) return entry;
  if (tierAtLeast(person.tier, "owner")) return entry;
  return { ok: false, error: { code: "forbidden", message: "Only owners of this deployment read its audit." } };
}
