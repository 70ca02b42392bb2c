export { errorOf } from "./child/children.ts";
export type { ChildResult } from "./child/settle.ts";
export { KernelError } from "./errors.ts";
export type { ForkPageRequest } from "./fork/read-page.ts";
export type { PinRefusal } from "./history/pins.ts";
export type { RewindRefusal } from "./history/rewind.ts";
export type { Walk } from "./history/said-by.ts";
export { Kernel } from "./kernel.ts";
export {
  CHILD_TARGET,
  type ChildInput,
  type ChildLook,
  type ChildMessage,
  type ChildProgress,
  type ChildReport,
  type ChildrenPort,
} from "./ports/children.ts";
export type { Debt, MeterPort, Reservation, TokenEstimate } from "./ports/meter.ts";
export type { ModelError, ModelFrame, ModelPort, ModelRequest } from "./ports/model.ts";
export type { ForkPage, ForkRef, OriginPort } from "./ports/origin.ts";
export type {
  AlarmPort,
  ClockPort,
  DeliveryOutcome,
  KernelPorts,
  OutboxRow,
  RandomPort,
  ReportPort,
} from "./ports/ports.ts";
export type { SqlCursor, SqlValue, StoragePort } from "./ports/storage.ts";
export { coreNotice, defineEntry } from "./registry/entry-kind.ts";
export {
  type BeforeTool,
  type BeforeToolApi,
  CallRefused,
  type EndedTurn,
  type Hooks,
  type PendingCall,
} from "./registry/hooks.ts";
export type { HostRead, HostTx } from "./registry/host-tx.ts";
export { defineNamespace, type Namespace } from "./registry/namespace.ts";
export { Registry } from "./registry/registry.ts";
export type { Section } from "./registry/section.ts";
export { defineTask, type Step, type TaskDefinition, type TaskRun } from "./registry/task-definition.ts";
export {
  defineTool,
  type ReplayPolicy,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "./registry/tool.ts";
export type { KernelHost, TurnSettings } from "./run/services.ts";
export { type Entry, readEntry } from "./storage/entries.ts";
export type { AdmissionReceipt, AdmissionRefusal, Submission } from "./turn/admit.ts";
