export { isRevoked, KernelError, type KernelErrorCode } from "./errors.ts";
export { Kernel, type WithdrawOutcome } from "./kernel.ts";
export type { ModelError, ModelFrame, ModelPort, ModelRequest, ToolSpec } from "./ports/model.ts";
export type {
  AlarmPort,
  ClockPort,
  DeliverPort,
  DeliveryOutcome,
  KernelPorts,
  OutboxRow,
  PublishPort,
  RandomPort,
  ReportPort,
} from "./ports/ports.ts";
export type { SqlCursor, SqlValue, StoragePort } from "./ports/storage.ts";
export { type Approval, type BeforeTool, CallRefused, type Hooks, type PendingCall } from "./registry/hooks.ts";
export type { HostRead, HostTx } from "./registry/host-tx.ts";
export { defineNamespace, type Namespace } from "./registry/namespace.ts";
export { Registry, type Undo } from "./registry/registry.ts";
export type { Section, SectionContext } from "./registry/section.ts";
export { defineTool, type ReplayPolicy, type Tool, type ToolContext, type ToolResult } from "./registry/tool.ts";
export type { KernelHost, TurnSettings } from "./run/services.ts";
export { type Entry, readEntry } from "./storage/entries.ts";
export type { InputRecord } from "./storage/inputs.ts";
export type { AdmissionReceipt, AdmissionRefusal, Submission } from "./turn/admit.ts";
