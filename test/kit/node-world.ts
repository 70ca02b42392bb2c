import { KernelWorld } from "./kernel-world.ts";
import { NodeStorage } from "./node-storage.ts";
import type { WorldOptions } from "./world-options.ts";

/** A world on Node's SQLite. */
export function nodeWorld(options: WorldOptions = {}): KernelWorld {
  return new KernelWorld(new NodeStorage(), options);
}
