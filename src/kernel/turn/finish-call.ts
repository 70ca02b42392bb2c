import type { Json } from "../../lib/json.ts";
import type { Tx } from "../commit/tx.ts";
import { CallRefused, type PendingCall } from "../registry/hooks.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Tool } from "../registry/tool.ts";
import type { Services } from "../run/services.ts";
import type { Task } from "../state/task.ts";
import { readEntry } from "../storage/entries.ts";
import { callOf, isDetached, type StoredCall, speakerOf } from "./call.ts";
import { letParkedCallsGo } from "./detach.ts";
import { type CallResult, settleTurnCall, textResult } from "./settle-call.ts";
import { settleDetachedCall } from "./settle-detached.ts";

/** Stores a call's result and ends its task. */
export function finish(services: Services, run: Run, result: CallResult): void {
  run.commit((tx) => settle(services, tx, tx.task(run.id), result));
}

/** As {@link finish}, inside a commit: in its turn, or as an input when it left that. */
export function settle(services: Services, tx: Tx, task: Task, result: CallResult): void {
  const registry = services.registry.snapshot();
  const call = storedCall(services, task);
  if (isDetached(task)) return settleDetachedCall(tx, task, call, result, registry);
  settleTurnCall(tx, task, call, result, registry);
  letParkedCallsGo(tx, registry);
}

/** Runs a commit that a handler may refuse: then the call gets a blocked result instead. */
export function orRefused<T>(services: Services, run: Run, commit: () => T): T | undefined {
  try {
    return commit();
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    finish(services, run, textResult("blocked", error.code, error.message));
    return undefined;
  }
}

export function storedCall(services: Services, task: Task): StoredCall {
  return callOf(task, (id) => readEntry(services.ports.storage, id));
}

/** The call of an invocation as handlers and tools see it. */
export function pendingCall(services: Services, run: Run, tool: Tool, input: Json): PendingCall {
  const task = run.task();
  const { entry, index } = storedCall(services, task);
  const { actor, meta } = speakerOf(services.store.control, task);
  const speaker = { actor, meta: structuredClone(meta) };
  return { task: run.id, entry, index, tool, input, ...speaker, detached: isDetached(task), signal: run.signal };
}
