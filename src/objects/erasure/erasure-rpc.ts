import type { Walk } from "../../kernel/index.ts";
import type { Result } from "../../lib/result.ts";
import type { Tier } from "../../people/facts.ts";
import type { Refused } from "../../people/may-act.ts";
import type { ReceiptLine } from "../../store/erasures.ts";
import type { Answer } from "../answer.ts";

/** An order to erase somebody, as it was confirmed. */
export interface ErasureOrder {
  /** ULID of its line of audit. */
  readonly id: string;
  readonly person: string;
  /** The principal who confirmed it, and their tier then. */
  readonly by: string;
  readonly tier: Tier;
  /** What each store held of the person. */
  readonly found: readonly ReceiptLine[];
}

/** Whom a conversation is to forget, and on whose order. */
export type ForgetOrder = Pick<ErasureOrder, "person" | "by" | "tier">;

/**
 * How far a conversation has forgotten somebody. `gone`: there is none, or none any more. `busy`: something of theirs is
 * live still, ask again. `more`: ask again from there. `clean`: `left` counts what has to wait for somebody else's call.
 * Entries and files are those of this call.
 */
export type Forgotten =
  | { readonly state: "gone" }
  | { readonly state: "busy" }
  | { readonly state: "more"; readonly walk: Walk; readonly entries: number; readonly files: number }
  | { readonly state: "clean"; readonly entries: number; readonly files: number; readonly left: number };

/** What an object asks of a conversation for somebody who was erased. The conversation asks the directory whether they were. */
export interface ForgetRpc {
  /** May come again, from anywhere. */
  forget(order: ForgetOrder, from: Walk | null): Answer<Forgotten>;
}

/** What the Worker asks of a person's object. */
export interface ErasureRpc {
  /** Shuts the person out at once, and forgets everything else by and by. An order that is under way goes on. */
  erase(order: ErasureOrder): Promise<Result<null, Refused>>;
  /** Rows of each store of this object. */
  holdings(): Promise<Readonly<Record<PersonalStore, number>>>;
}

/** Stores of a person's own object. */
export type PersonalStore = "wallet" | "notices" | "seen";
