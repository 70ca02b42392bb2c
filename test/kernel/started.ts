import type { KernelWorld } from "../kit/kernel-world.ts";
import { nodeWorld } from "../kit/node-world.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { NOTES } from "./make.ts";

/** A started world, nothing said yet. `NOTES` is registered. */
export function started(options: WorldOptions = {}): KernelWorld {
  const world = nodeWorld({
    ...options,
    register: (registry, kernel) => {
      registry.namespace(NOTES);
      options.register?.(registry, kernel);
    },
  });
  world.start();
  return world;
}
