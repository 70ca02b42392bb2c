import { Store } from "../../src/kernel/commit/store.ts";
import type { Tx } from "../../src/kernel/commit/tx.ts";
import type { KernelPorts } from "../../src/kernel/index.ts";
import { Registry } from "../../src/kernel/registry/registry.ts";
import { Kinds } from "../../src/kernel/run/kinds.ts";
import type { KernelWorld } from "./kernel-world.ts";

/** Changes the stored state of a world by one commit with all the kernel's own powers, between two of its processes. */
export function editWorld<T>(world: KernelWorld, build: (tx: Tx) => T): T {
  world.crash();
  const registry = new Registry();
  const { storage, clock, alarm } = world;
  const ports = { storage, clock, alarm, publish: { commit: () => {} }, report: { report: () => {} } };
  const context = { ports: ports as unknown as KernelPorts, registry, kinds: new Kinds(registry) };
  const value = Store.open(context).commit(build);
  world.client.forget();
  world.start().resume();
  return value;
}
