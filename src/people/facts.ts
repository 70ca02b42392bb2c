/** Trust levels, lowest first. Always resolved from the directory at the moment of use. */
export const TIERS = ["guest", "member", "admin", "owner"] as const;
export type Tier = (typeof TIERS)[number];

export function tierAtLeast(tier: Tier, needed: Tier): boolean {
  return TIERS.indexOf(tier) >= TIERS.indexOf(needed);
}

/** Who is calling, as the Worker resolved it from a session. Carries no tier: whoever uses it asks the directory. */
export interface Caller {
  readonly principalId: string;
  /** `<provider>:<subject>` */
  readonly identity: string;
  /** Hex SHA-256 of the session id. */
  readonly sessionHash: string;
}

/**
 * One conversation that asks another for its own owner, who need not be there: no session counts, the principal's standing
 * does. Only objects make one, from their own row.
 */
export interface OnBehalf {
  readonly principalId: string;
}

/** Another id that stands for a person since two became one, and the most that counts where it is named. */
export interface OtherId {
  readonly id: string;
  readonly tier: Tier;
}

/** What the directory says about a caller now. */
export interface PersonFacts {
  readonly principalId: string;
  readonly name: string;
  readonly tier: Tier;
  readonly disabled: boolean;
  /** The caller's identity is still linked to this principal. */
  readonly linked: boolean;
  /** End of the session in ms (idle or absolute, whichever comes first); undefined when revoked or unknown. */
  readonly sessionExpiresAt: number | undefined;
  /** Of somebody with whom others became one: theirs. */
  readonly otherIds?: readonly OtherId[];
}

/** Where a fork came from: a channel key, and the last entry that was copied. */
export type Origin = { readonly key: string; readonly at: number };

/** Of a conversation that a task of another one owns. */
export type OwnedFacts = {
  /** Channel key of the owner. */
  readonly parent: string;
  readonly task: number;
  readonly depth: number;
  /** Names of the tools that it is offered; null: all but those that would own conversations. */
  readonly tools: readonly string[] | null;
  /** Stands in for the persona. */
  readonly system: string | null;
};

/** What a conversation's own row says; first writer wins, never from D1. */
export interface ConversationFacts {
  /** Channel key, `web:<uuid>`. */
  readonly key: string;
  readonly visibility: "private" | "shared";
  /** The principal of a private conversation. */
  readonly owner: string;
  /** Only of a fork. Says nothing about who may do what. */
  readonly origin?: Origin;
  /** Only of one that another conversation owns. */
  readonly owned?: OwnedFacts;
  /** Only of a shared one: when it was opened, ms. Its first member is in it from then on. */
  readonly openedAt?: number;
}

/** A conversation as authority is judged by: its own row, and what changes about it. */
export interface ConversationNow extends ConversationFacts {
  /** Principals who are in a shared one. Absent: nobody but owners of the deployment is. */
  readonly members?: readonly string[];
  /** Who spoke what is to be stopped or taken back. Null: there is nothing of the kind. Absent: not told. */
  readonly ofPrincipal?: string | null;
}
