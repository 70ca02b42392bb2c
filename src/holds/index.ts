export { argumentText, MAX_ARGUMENT_TEXT_BYTES } from "./argument-text.ts";
export {
  type Audience,
  type AudienceQuestion,
  decideAudience,
  decidePress,
  hasAudience,
  type Presser,
  type PressRefusal,
  type PressVerdict,
} from "./audience.ts";
export type { BoundAudience, BoundCall, BoundFile, CallProvider } from "./bound-call.ts";
export { type BoundPart, type CallSeal, changedParts, sealCall } from "./call-seal.ts";
export { MAX_CARD_ARGUMENT_BYTES, MAX_CARD_BYTES, renderCard, type ShownCall, updateCard } from "./card.ts";
export { decideHold, type HoldCommand, type HoldOutcome, type HoldStep, type Press } from "./decide-hold.ts";
export { countDecline, type Declines, isDeclinedOut, NO_DECLINES } from "./declines.ts";
export { DESCRIBE_TIMEOUT_MS, type Described, type DescribeOptions, describeCall } from "./describe.ts";
export type { HeldDescription, HoldDescription } from "./description.ts";
export { hashSchema } from "./digest.ts";
export { nextDueAt } from "./due.ts";
export { escapeName, escapeText, quoteText } from "./escape.ts";
export { type BlockCode, decideGate, type GateDecision, type GateFacts } from "./gate.ts";
export type { DenyRule, HoldRule, HoldRules, NamedHoldRule, RuledCall, RuleFailure } from "./hold-rule.ts";
export type { HoldsHost, KnownPerson } from "./holds-host.ts";
export { hostForCard } from "./host-for-card.ts";
export { findInputFault } from "./input-fault.ts";
export { type Holds, installHolds } from "./install.ts";
export { type HoldRefusal, type HoldRequest, openHold } from "./open-hold.ts";
export type { CardPress, PressRefused } from "./press.ts";
export {
  type ApprovedHold,
  type HoldPerson,
  type HoldRecord,
  isAnswerable,
  MAX_OPEN_HOLDS,
  MAX_RECORD_BYTES,
} from "./record.ts";
export { type Execution, type SpendRefusal, spendHold } from "./spend.ts";
export {
  approvedText,
  lostText,
  pendingText,
  pressRefusalText,
  STALE_PRESS_TEXT,
  textForModel,
} from "./texts.ts";
