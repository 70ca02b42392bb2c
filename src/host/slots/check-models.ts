import { PluginError } from "../plugin-error.ts";
import type { PluggedModels } from "./slots.ts";

const PROVIDER_NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** @throws PluginError naming the plugin, what is wrong with its models and the remedy. */
export function checkModels(plugin: string, { name, models, port }: PluggedModels): void {
  const fail = (what: string) => new PluginError("bad_part", `Plugin ${plugin}: ${what}`);
  if (!PROVIDER_NAME.test(name)) {
    throw fail(`the name ${JSON.stringify(name)} of its models must match ${PROVIDER_NAME.source}.`);
  }
  if (name === "demo") throw fail("the name demo belongs to the demo model: give its models another one.");
  if (typeof port?.stream !== "function") throw fail("its models need a port with a method stream.");
  if (models.length === 0) throw fail("it fills the slot models with no model: list at least one.");
  for (const [index, { id }] of models.entries()) {
    if (!id.startsWith(`${name}/`)) throw fail(`the id of the model ${JSON.stringify(id)} must begin with ${name}/.`);
    if (models.findIndex((other) => other.id === id) !== index) throw fail(`it lists the model ${id} twice.`);
  }
}
