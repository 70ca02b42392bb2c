import type { KernelWorld } from "../kit/kernel-world.ts";
import { nodeWorld } from "../kit/node-world.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { counting, settingsWith, WINDOW } from "./kit.ts";

/** A world whose model has the window of these tests. */
export function smallWorld(options: WorldOptions = {}): KernelWorld {
  const world = nodeWorld({ script: counting(), settings: settingsWith(WINDOW), ...options });
  world.start();
  return world;
}
