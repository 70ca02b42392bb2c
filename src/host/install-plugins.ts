import type { Registry, Tool } from "../kernel/index.ts";
import type { Host } from "./host.ts";

/** Registers every plugin's parts but its tools on a conversation, in plugin order. */
export function installPlugins(registry: Registry, host: Host): void {
  for (const { parts } of host.plugins) {
    for (const namespace of parts.namespaces ?? []) registry.namespace(namespace);
    for (const kind of parts.taskKinds ?? []) registry.registerTaskKind(kind);
    for (const section of parts.sections ?? []) registry.registerSection(section);
    for (const { namespace, hooks } of parts.hooks ?? []) registry.hooks(namespace, hooks);
  }
}

/** Every tool of the deployment, in plugin order. Which of them a conversation has switched on is its own. */
export function toolsOf(host: Host): readonly Tool[] {
  return host.plugins.flatMap(({ parts }) => (parts.tools ?? []).map(({ tool }) => tool));
}
