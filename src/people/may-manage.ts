import { type PersonFacts, tierAtLeast } from "./facts.ts";
import { mayEnter, type Verdict } from "./may-act.ts";

/** Whether a person may see and change the people of this deployment. Says nothing about whom they name. */
export function mayManagePeople(person: PersonFacts | undefined, now: number): Verdict {
  const entry = mayEnter(person, now);
  if (!entry.ok || person === undefined) return entry;
  if (tierAtLeast(person.tier, "owner")) return entry;
  return { ok: false, error: { code: "forbidden", message: "Only owners of this deployment manage its people." } };
}
