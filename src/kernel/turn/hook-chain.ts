import type { Tx } from "../commit/tx.ts";
import { hostTx } from "../plugin/host-tx.ts";
import type { Hooks } from "../registry/hooks.ts";
import type { HostTx } from "../registry/host-tx.ts";
import type { HookSet, RegistrySnapshot } from "../registry/registry.ts";
import type { Services } from "../run/services.ts";
import { withLimit } from "../run/with-limit.ts";

/** Names of the handlers that may take their time and whose failure stops nothing. */
type Point = Exclude<keyof Hooks, "beforeTool" | "parked" | "detached" | "settled" | "turnEnded" | "restored">;

/**
 * Calls the handlers of a point one after the other, in order of registration, until `take` says that one was enough.
 * One that throws or takes too long is reported and passed over. @throws when the signal aborts.
 */
export async function runHooks<T>(
  services: Services,
  registry: RegistrySnapshot,
  point: Point,
  chain: {
    readonly signal: AbortSignal;
    readonly call: (hooks: Hooks, set: HookSet) => Promise<T> | T | undefined;
    readonly take?: (value: T, set: HookSet) => "enough" | undefined;
  },
): Promise<void> {
  const { signal, call, take } = chain;
  for (const set of registry.hooks) {
    if (!set.hooks[point]) continue;
    try {
      const made = call(set.hooks, set);
      const value = await withLimit(services.ports.clock, Promise.resolve(made), signal);
      if (value !== undefined && take?.(value, set) === "enough") return;
    } catch (error) {
      signal.throwIfAborted();
      const namespace = set.namespace.name;
      services.ports.report.report("hook.failed", { hook: point, namespace, error: String(error) });
    }
  }
}

/** Calls the handlers of a point inside a commit. What one did that throws is undone; the commit goes on. */
export function tellHooks(
  tx: Tx,
  registry: RegistrySnapshot,
  point: "parked" | "detached" | "settled" | "turnEnded" | "restored",
  call: (hooks: Hooks, hostTx: HostTx) => void,
): void {
  for (const { hooks, namespace } of registry.hooks) {
    if (!hooks[point]) continue;
    const error = tx.attempt(() => call(hooks, hostTx(tx)));
    if (error === undefined) continue;
    const reason = error instanceof Error ? String(error) : JSON.stringify(error);
    tx.fault("hook.failed", { hook: point, namespace: namespace.name, error: reason });
  }
}
