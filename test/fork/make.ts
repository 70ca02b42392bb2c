import type { Tx } from "../../src/kernel/commit/tx.ts";
import { activeSpansAt } from "../../src/kernel/context/active-at.ts";
import type { ForkRef, OriginPort } from "../../src/kernel/index.ts";
import { must } from "../../src/lib/assert.ts";
import { err, ok } from "../../src/lib/result.ts";
import { started } from "../kernel/started.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import type { WorldOptions } from "../kit/world-options.ts";

/** Reads a world as a fork does: over a wire, by name of nobody. */
export function originOf(parent: KernelWorld, changes: Partial<OriginPort> = {}): OriginPort {
  return {
    async page({ at }, after) {
      await Promise.resolve();
      const page = parent.kernel.history.forkPage({ at, after });
      return page.ok ? ok({ page: structuredClone(page.value) }) : err(`it is ${page.error}`);
    },
    ...changes,
  };
}

/** A world that begins as a fork of another; it has not begun to copy. */
export function forkOf(parent: KernelWorld, at: number, options: WorldOptions = {}): KernelWorld {
  const fork: ForkRef = { from: "web:parent", at };
  return started({ origin: originOf(parent), ...options, fork });
}

/** A fork at rest. */
export async function finishedFork(parent: KernelWorld, at: number, options: WorldOptions = {}): Promise<KernelWorld> {
  const world = forkOf(parent, at, options);
  world.kernel.resume();
  await world.run();
  return world;
}

/** Says something and appends an answer, without any model. Returns the answer's id. */
export function exchange(tx: Tx, text: string): number {
  const content = [{ type: "text", text }] as const;
  tx.append({ kind: "core.user", message: { role: "user", content } });
  return tx.append({
    kind: "core.assistant",
    message: { role: "assistant", content: [{ type: "text", text: `to ${text}` }], stop: "end" },
  });
}

/** Goes back to an entry, as a rewind does. */
export function rewind(world: KernelWorld, tx: Tx, to: number): number {
  tx.namespaces.rewindTo(must(tx.entry(to), `no entry ${to}`).rev);
  return tx.append({
    kind: "core.rewind",
    head: activeSpansAt(world.storage, to),
    data: { to, left: [to + 1, to + 1], by: "p_anna" },
  });
}

/** Ids of all stored entries. */
export function ids(world: KernelWorld): number[] {
  return world.kernel.entriesAfter(0, 10_000).map((entry) => entry.id);
}

/** Ids of what was copied. */
export function inheritedIds(world: KernelWorld): number[] {
  return world.kernel.entriesAfter(0, 10_000).flatMap((entry) => (entry.inherited ? [entry.id] : []));
}
