import { nearest } from "../lib/nearest.ts";
import type { Plugin } from "./plugin.ts";
import { PluginError } from "./plugin-error.ts";

const PLUGIN_NAME = /^[a-z][a-z0-9-]{0,31}$/;
const FIELDS = ["name", "provides", "requires", "migrations", "setup", "preflight"];

/**
 * Declares a plugin.
 * @throws PluginError when the name does not match `^[a-z][a-z0-9-]{0,31}$`, there is no setup, or a field is unknown.
 */
export function definePlugin(plugin: Plugin): Plugin {
  const { name } = plugin;
  if (typeof name !== "string" || !PLUGIN_NAME.test(name)) {
    const what = JSON.stringify(name);
    throw new PluginError("bad_plugin", `The plugin name ${what} must match ${PLUGIN_NAME.source}: rename it.`);
  }
  for (const field of Object.keys(plugin)) {
    if (!FIELDS.includes(field)) throw unknownPart(`Plugin ${name}`, field, FIELDS);
  }
  if (typeof plugin.setup !== "function") {
    throw new PluginError("bad_plugin", `Plugin ${name} has no setup: give it a function that returns its parts.`);
  }
  return Object.freeze({ ...plugin });
}

export function unknownPart(where: string, part: string, known: readonly string[]): PluginError {
  const close = nearest(part, known);
  const hint = close === undefined ? `there are ${known.join(", ")}.` : `did you mean ${close}?`;
  return new PluginError("unknown_part", `${where} has a part ${JSON.stringify(part)} that does not exist: ${hint}`);
}
