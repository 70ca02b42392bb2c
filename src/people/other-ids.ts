import { type OtherId, type Tier, tierAtLeast } from "./facts.ts";

/** Former ids of one person. */
export const MAX_FORMER_IDS = 10;

/** A person with every id that stands for them. */
export interface ByIds {
  readonly principalId: string;
  readonly otherIds?: readonly OtherId[];
}

/** With what tier a stored id stands for this person now: never more than either had. Undefined: it is somebody else's. */
export function tierAs({ principalId, tier, otherIds }: ByIds & { readonly tier: Tier }, id: string): Tier | undefined {
  if (id === principalId) return tier;
  const other = otherIds?.find((one) => one.id === id);
  return other && lowerTier(other.tier, tier);
}

/** Whether a stored id stands for this person. */
export function isSame(person: ByIds, id: string | null | undefined): boolean {
  return idsOf(person).some((one) => one === id);
}

/** Every id of a person, their own first. */
export function idsOf({ principalId, otherIds = [] }: ByIds): readonly string[] {
  return [principalId, ...otherIds.map(({ id }) => id)];
}

/** Under which of their ids somebody sent a message before: a repeat is no second one. Else their own. */
export function authorOf(person: ByIds, message: string, isKnown: (key: string) => boolean): string {
  return idsOf(person).find((id) => isKnown(`${id}:${message}`)) ?? person.principalId;
}

export function lowerTier(one: Tier, other: Tier): Tier {
  return tierAtLeast(one, other) ? other : one;
}
