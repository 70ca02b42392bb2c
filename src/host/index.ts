export { escapeText, graceEndsAt, holdDeadline, isOverdue, quoteText, reminderAt } from "../holds/index.ts";
export { backgroundFactsOf, backgroundMeta } from "./background/background-facts.ts";
export { BACKGROUND, type BackgroundOrder, startBackground } from "./background/background-order.ts";
export { decideBackground } from "./background/decide-background.ts";
export { hasNobodyToAsk, visibilityOf } from "./conversation-facts.ts";
export { definePlugin } from "./define-plugin.ts";
export { EventTeller } from "./events/event-teller.ts";
export { eventsOf } from "./events/events-of.ts";
export { Host, type HostContext } from "./host.ts";
export { installPlugins, toolsOf } from "./install-plugins.ts";
export { ledgerLine } from "./migrations/ledger-line.ts";
export { migrationsOf } from "./migrations/migrations-of.ts";
export { ledgerFault, planMigrations } from "./migrations/plan-migrations.ts";
export type { LedgerRow, OwnedMigration } from "./migrations/plugin-migration.ts";
export { type Letter, linkTo, NOTICES, notify, type Recipients } from "./notify.ts";
export {
  afterStep,
  broughtUp,
  LANE,
  type LaneItem,
  type LaneState,
  type LaneStep,
  nextStep,
  type StandingCard,
  withItem,
} from "./outgoing/lane-state.ts";
export { replyOf, wordsOf } from "./outgoing/reply-of.ts";
export {
  noteReceipt,
  receiptOf,
  SAID,
  SAY,
  SAYINGS,
  type Saying,
  type SayReceipt,
  say,
  TOLD,
  withSaying,
} from "./outgoing/saying.ts";
export { choosePersona } from "./personas/choose-persona.ts";
export { personaSections } from "./personas/persona-sections.ts";
export type { Plugin, PluginParts, Services, SetupContext } from "./plugin.ts";
export { PluginError } from "./plugin-error.ts";
export { answerPrompt } from "./prompts/answer-prompt.ts";
export type { AnswerRefused, PromptAnswer, PromptConversation } from "./prompts/prompts.ts";
export { remindOfPrompt } from "./prompts/remind-of-prompt.ts";
export { MIRROR, requestMirror } from "./request-mirror.ts";
export { AdmissionOrder } from "./router/admission-order.ts";
export { parseChannel } from "./router/channel.ts";
export { type CompleteSurface, completeSurface } from "./router/complete-surface.ts";
export { claimOf, type Delivered, route } from "./router/route.ts";
export type { IncomingFile, MessageSurface, Sending } from "./router/surface.ts";
export { matchRoute } from "./routes/match-route.ts";
export { MAX_ROUTE_BODY_BYTES, MAX_ROUTE_MS, type PluginRequest, type PluginRoute } from "./routes/plugin-route.ts";
export { serviceKey } from "./service-key.ts";
export { createModelJudge } from "./slots/model-judge.ts";
export type { PluggedModels } from "./slots/slots.ts";
