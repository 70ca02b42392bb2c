import { definePlugin, type Plugin } from "../../src/host/index.ts";
import type { Tool } from "../../src/kernel/index.ts";

/** A plugin that has these tools for every member. */
export function memberTools(name: string, ...tools: readonly Tool[]): Plugin {
  return definePlugin({ name, setup: () => ({ tools: tools.map((tool) => ({ tool, tier: "member" })) }) });
}
