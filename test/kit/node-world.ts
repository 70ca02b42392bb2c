import { KernelWorld, type WorldOptions } from "./kernel-world.ts";
import { NodeStorage } from "./node-storage.ts";

/** A world on Node's SQLite. */
export function nodeWorld(options: WorldOptions = {}): KernelWorld {
  return new KernelWorld(new NodeStorage(), options);
}
