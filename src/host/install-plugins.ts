import type { Registry, Tool } from "../kernel/index.ts";
import type { Host, LinkedPlugin } from "./host.ts";

/** Registers every plugin's parts on a conversation, in plugin order: what counts for all of them comes before the tools. */
export function installPlugins(registry: Registry, host: Host): void {
  for (const plugin of host.plugins) installPlugin(registry, plugin);
  for (const tool of toolsOf(host)) registry.registerTool(tool);
}

/** Every tool of the deployment, in plugin order. */
export function toolsOf(host: Host): readonly Tool[] {
  return host.plugins.flatMap(({ parts }) => (parts.tools ?? []).map(({ tool }) => tool));
}

function installPlugin(registry: Registry, { parts }: LinkedPlugin): void {
  for (const namespace of parts.namespaces ?? []) registry.namespace(namespace);
  for (const kind of parts.taskKinds ?? []) registry.registerTaskKind(kind);
  for (const section of parts.sections ?? []) registry.registerSection(section);
  for (const { namespace, hooks } of parts.hooks ?? []) registry.hooks(namespace, hooks);
}
