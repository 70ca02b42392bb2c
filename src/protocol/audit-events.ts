/** What may be told of a hold. `deleted` ends the chain of a conversation that was deleted. */
export const AUDIT_EVENTS = [
  "opened",
  /** Somebody approved such calls in advance: it ran without a card. */
  "allowed",
  /** What is always allowed, and what stands as a constraint: set, or taken away. */
  "rule_saved",
  "rule_revoked",
  "constraint_set",
  "constraint_removed",
  "released",
  "reminded",
  "approved",
  "declined",
  "expired",
  "cancelled",
  "changed",
  "unavailable",
  "extended",
  "handed_over",
  "asked_again",
  "amended",
  /** A call was refused before there was a card. */
  "blocked",
  "spent",
  "refused",
  "deleted",
] as const;
export type AuditEvent = (typeof AUDIT_EVENTS)[number];
