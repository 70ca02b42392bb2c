import { unknownPart } from "./define-plugin.ts";
import type { Owners } from "./owners.ts";
import { checkChatParts } from "./parts/check-chat-parts.ts";
import { checkEvents } from "./parts/check-events.ts";
import { checkRoutes } from "./parts/check-routes.ts";
import { checkTool } from "./parts/check-tool.ts";
import type { PluginParts } from "./plugin.ts";
import { PluginError } from "./plugin-error.ts";

/** Every part, and whether it is a list or a record. */
const PARTS: { readonly [part in keyof Required<PluginParts>]: "list" | "record" } = {
  tools: "list",
  holdRules: "list",
  sections: "list",
  namespaces: "list",
  taskKinds: "list",
  hooks: "list",
  prompts: "list",
  surfaces: "list",
  claims: "list",
  backgroundTargets: "list",
  personas: "list",
  routes: "list",
  providers: "record",
  events: "record",
};

/**
 * Checks what a setup returned, whatever the types say, and claims every name in it.
 * @throws PluginError naming the plugin, what is wrong and the remedy.
 */
export function checkParts(plugin: string, parts: unknown, owners: Owners): PluginParts {
  if (parts instanceof Promise) {
    parts.catch(() => undefined);
    throw new PluginError("setup_failed", `Plugin ${plugin}: its setup returns a promise; assembly is synchronous.`);
  }
  if (typeof parts !== "object" || parts === null) {
    throw new PluginError("setup_failed", `Plugin ${plugin}: its setup returned no object of parts.`);
  }
  for (const [part, value] of Object.entries(parts)) {
    if (!isPart(part)) throw unknownPart(`The setup of plugin ${plugin}`, part, Object.keys(PARTS));
    if (isShaped(PARTS[part], value)) continue;
    throw new PluginError("setup_failed", `Plugin ${plugin}: its part ${part} must be a ${PARTS[part]}.`);
  }
  const checked: PluginParts = parts;
  for (const { tool, tier } of checked.tools ?? []) checkTool(plugin, tool, tier);
  checkChatParts(plugin, checked);
  checkRoutes(plugin, checked.routes ?? []);
  checkEvents(plugin, checked.events ?? {});
  claimNames(plugin, checked, owners);
  return checked;
}

function isPart(name: string): name is keyof typeof PARTS {
  return Object.hasOwn(PARTS, name);
}

function isShaped(shape: "list" | "record", value: unknown): boolean {
  return Array.isArray(value) === (shape === "list") && typeof value === "object" && value !== null;
}

/** What must be one of a kind in a deployment. */
const NAMES: { readonly [what: string]: (parts: PluginParts) => readonly string[] | undefined } = {
  tool: ({ tools }) => tools?.map(({ tool }) => tool.name),
  section: ({ sections }) => sections?.map(({ name }) => name),
  namespace: ({ namespaces }) => namespaces?.map(({ name }) => name),
  "task kind": ({ taskKinds }) => taskKinds?.map(({ kind }) => kind),
  "configuration key": ({ taskKinds }) => taskKinds?.flatMap(({ config }) => Object.keys(config ?? {})),
  surface: ({ surfaces }) => surfaces?.map(({ surface }) => surface),
  claim: ({ claims }) => claims?.map(({ name }) => name),
  "background target": ({ backgroundTargets }) => backgroundTargets?.map(({ name }) => name),
  persona: ({ personas }) => personas?.map(({ kind }) => kind),
};

function claimNames(plugin: string, parts: PluginParts, owners: Owners): void {
  for (const [what, namesOf] of Object.entries(NAMES)) {
    for (const name of namesOf(parts) ?? []) owners.claim(what, name, plugin);
  }
  for (const { namespace } of parts.hooks ?? []) {
    if (parts.namespaces?.includes(namespace)) continue;
    throw new PluginError(
      "setup_failed",
      `Plugin ${plugin} has handlers under the namespace ${namespace.name}, which is not its own: list it among its namespaces.`,
    );
  }
}
