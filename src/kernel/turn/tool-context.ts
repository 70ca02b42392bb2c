import type { JsonObject } from "../../lib/json.ts";
import { spawnChild } from "../child/spawn.ts";
import { requireLive } from "../commit/namespace-states.ts";
import type { Tx } from "../commit/tx.ts";
import { KernelError } from "../errors.ts";
import { createTask } from "../plugin/host-tx.ts";
import type { Approval, PendingCall } from "../registry/hooks.ts";
import type { Namespace } from "../registry/namespace.ts";
import type { Run } from "../registry/task-kind.ts";
import type { ToolContext } from "../registry/tool.ts";
import type { Services } from "../run/services.ts";
import { TOOL } from "../state/kinds.ts";
import { readMemo } from "../storage/memos.ts";

/** Where a call's own memos stand, and those that name the tasks it began. */
const MEMOS = TOOL;
const BEGUN = `${TOOL}.begun`;

/**
 * What a running call may do. @param over aborts when its part is over: nothing may be done in its name then.
 */
export function toolContext(
  services: Services,
  run: Run,
  { call, approval }: { readonly call: PendingCall; readonly approval: Approval | null },
  signal: AbortSignal,
  over: AbortSignal,
): ToolContext {
  const { store, live, host, ports } = services;
  const requireAlive = () => {
    if (!over.aborted && !run.signal.aborted) return;
    throw new KernelError("revoked", `Call ${run.id} has ended or was stopped: its tool may do nothing more for it.`);
  };
  return Object.freeze<ToolContext>({
    task: run.id,
    idempotencyKey: `${host.name}/${run.id}`,
    signal,
    actor: call.actor,
    meta: call.meta,
    ...(approval?.person !== undefined && { approvedBy: approval.person }),
    ...(approval?.prompt !== undefined && { approvedPrompt: approval.prompt }),
    now: () => ports.clock.now(),
    memo(name, candidate) {
      requireAlive();
      return run.commit((tx) => tx.memoOnce(run.id, MEMOS, name, candidate));
    },
    recall(namespace, name) {
      requireLive(services.registry, namespace);
      return readMemo(ports.storage, run.id, namespace.name, name)?.value;
    },
    begin(name, token, input) {
      requireAlive();
      return beginOnce(services, run, name, (tx) => createTask(tx, token, input, run.id));
    },
    spawn(name, request) {
      requireAlive();
      const { actor, meta } = call;
      const owner = { task: run.id, speaker: { actor, meta } };
      return beginOnce(services, run, name, (tx) => spawnChild(tx, name, request, owner));
    },
    progress(line) {
      requireAlive();
      live.replace(run.id, 1, "progress", line);
    },
    read: (namespace) => store.get(namespace),
    update<T extends JsonObject>(namespace: Namespace<T>, edit: (state: T) => Partial<T>): T {
      requireAlive();
      return run.commit((tx) => {
        tx.set(namespace, edit(tx.get(namespace)));
        return tx.get(namespace);
      });
    },
  });
}

/** The task that this call began under a name; the first time, what makes it. */
function beginOnce({ ports }: Services, run: Run, name: string, make: (tx: Tx) => number): number {
  const begun = readMemo(ports.storage, run.id, BEGUN, name)?.value;
  if (typeof begun === "number") return begun;
  return run.commit((tx) => {
    const task = make(tx);
    tx.memoOnce(run.id, BEGUN, name, task);
    return task;
  });
}
