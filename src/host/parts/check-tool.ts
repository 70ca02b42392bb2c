import { TIERS } from "../../people/facts.ts";
import { PluginError } from "../plugin-error.ts";

const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** @throws PluginError naming the plugin, what is wrong with its tool and the remedy. */
export function checkTool(
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
