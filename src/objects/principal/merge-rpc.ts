import type { Result } from "../../lib/result.ts";
import type { Tier } from "../../people/facts.ts";
import type { Refused } from "../../people/may-act.ts";
import type { NoticeRow } from "./principal-notices.ts";
import type { Purse } from "./principal-purse.ts";
import type { SeenRow } from "./principal-seen.ts";

/** An order to make two people one, as it was confirmed. */
export interface MergeOrder {
  /** ULID of its line of audit. */
  readonly id: string;
  /** Who is a former id from then on, and who stays. */
  readonly person: string;
  readonly into: string;
  /** The principal who confirmed it. */
  readonly by: string;
  /** The tiers of the two, as they were shown. */
  readonly seen: { readonly person: Tier; readonly survivor: Tier };
}

/** Everything that a person's object keeps of its own. */
export interface Estate {
  readonly purse: Purse;
  readonly notices: readonly NoticeRow[];
  readonly seen: readonly SeenRow[];
}

/** What a person's object answers about two becoming one. */
export interface MergeRpc {
  /** Makes this person a former id of another at once, and moves by and by what they have. An order under way goes on. */
  merge(order: MergeOrder): Promise<Result<null, Refused>>;
  /**
   * Takes over, once, what a former had. @returns the number of this object's asks for a lease above which they count it.
   */
  absorb(former: string, estate: Estate): Promise<number>;
}
