import type { ServerFrame } from "../../protocol/frames.ts";
import type { ChildrenPort } from "./children.ts";
import type { MeterPort } from "./meter.ts";
import type { ModelPort } from "./model.ts";
import type { OriginPort } from "./origin.ts";
import type { StoragePort } from "./storage.ts";

/**
 * The single wake-up of an object. Called inside `transactionSync` only, synchronously; the change is part of that
 * transaction. A time in the past means "as soon as possible". May not throw.
 */
export interface AlarmPort {
  set(atMs: number): void;
  delete(): void;
}

/** Time. `now` is milliseconds since 1970 and may stand still between I/O. `wait` resolves at the time or at once on abort. */
export interface ClockPort {
  now(): number;
  wait(untilMs: number, signal: AbortSignal): Promise<void>;
}

/** Fresh ids and randomness. `ulid` is sortable by time. `unit` is a number in [0, 1). */
export interface RandomPort {
  ulid(): string;
  unit(): number;
}

/** An effect toward another object, D1 or a surface, sent after its commit, at least once. */
export interface OutboxRow {
  /** Idempotency key, unique among unsent rows: a newer row under the same key replaces the older. */
  readonly key: string;
  /** Names the adapter that sends it. */
  readonly target: string;
  readonly payload: string;
  readonly attempts: number;
  readonly createdAt: number;
}

/** `retry`: try again later. `drop`: it can never succeed; the reason is reported, the row goes. */
export type DeliveryOutcome =
  | { readonly status: "sent" }
  | { readonly status: "retry"; readonly error: string; readonly afterMs?: number }
  | { readonly status: "drop"; readonly error: string };

/** Sends outbox rows. A throw counts as `retry`. The receiver must be idempotent by `key`. */
export interface DeliverPort {
  deliver(row: OutboxRow, signal: AbortSignal): Promise<DeliveryOutcome>;
}

/** Where commits and volatile text go. Called after the commit; a throw never fails the commit. */
export interface PublishPort {
  commit(frame: Extract<ServerFrame, { type: "commit" }>): void;
  delta(frame: Extract<ServerFrame, { type: "delta" }>): void;
}

/** A line for the operator. Never message text, never a secret. May not throw. */
export interface ReportPort {
  report(event: string, facts: { readonly [key: string]: string | number | boolean | null }): void;
}

/** Everything the kernel needs from outside. It touches no global clock, timer or randomness. */
export interface KernelPorts {
  readonly storage: StoragePort;
  readonly alarm: AlarmPort;
  readonly clock: ClockPort;
  readonly random: RandomPort;
  readonly model: ModelPort;
  readonly deliver: DeliverPort;
  /** Absent: nobody knows owned conversations here. */
  readonly children?: ChildrenPort;
  /** Absent: a fork cannot be made here. */
  readonly origin?: OriginPort;
  /** Absent: whatever is asked of models may be spent. */
  readonly meter?: MeterPort;
  readonly publish: PublishPort;
  readonly report: ReportPort;
}
