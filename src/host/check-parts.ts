import { TIERS } from "../people/facts.ts";
import { unknownPart } from "./define-plugin.ts";
import type { Owners } from "./owners.ts";
import type { PluginParts } from "./plugin.ts";
import { PluginError } from "./plugin-error.ts";

const PARTS = ["tools", "holdRules", "sections", "namespaces", "taskKinds", "hooks", "prompts"];
const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/;

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
    if (!PARTS.includes(part)) throw unknownPart(`The setup of plugin ${plugin}`, part, PARTS);
    if (!Array.isArray(value)) {
      throw new PluginError("setup_failed", `Plugin ${plugin}: its part ${part} must be a list.`);
    }
  }
  const checked: PluginParts = parts;
  claimNames(plugin, checked, owners);
  return checked;
}

function claimNames(plugin: string, parts: PluginParts, owners: Owners): void {
  for (const { tool, tier } of parts.tools ?? []) {
    checkTool(plugin, tool, tier);
    owners.claim("tool", tool.name, plugin);
  }
  for (const { name } of parts.sections ?? []) owners.claim("section", name, plugin);
  for (const { name } of parts.namespaces ?? []) owners.claim("namespace", name, plugin);
  for (const { kind, config } of parts.taskKinds ?? []) {
    owners.claim("task kind", kind, plugin);
    for (const key of Object.keys(config ?? {})) owners.claim("configuration key", key, plugin);
  }
  for (const { namespace } of parts.hooks ?? []) {
    if (parts.namespaces?.includes(namespace)) continue;
    throw new PluginError(
      "setup_failed",
      `Plugin ${plugin} has handlers under the namespace ${namespace.name}, which is not its own: list it among its namespaces.`,
    );
  }
}

function checkTool(
  plugin: string,
  tool: { readonly name: unknown; readonly description: unknown; readonly execute: unknown },
  tier: unknown,
): void {
  const { name, description, execute } = tool;
  const fail = (what: string) => new PluginError("bad_plugin", `Plugin ${plugin}: ${what}`);
  if (typeof name !== "string" || !TOOL_NAME.test(name)) {
    throw fail(`the tool name ${JSON.stringify(name) ?? String(name)} must match ${TOOL_NAME.source}.`);
  }
  if (typeof description !== "string" || description.trim() === "") {
    throw fail(`the tool ${name} needs a description: models choose by it.`);
  }
  if (typeof execute !== "function") throw fail(`the tool ${name} has nothing to execute.`);
  if (!TIERS.some((known) => known === tier)) {
    throw fail(`the tool ${name} needs a tier: one of ${TIERS.join(", ")}.`);
  }
}
