import type { PluginParts } from "../plugin.ts";
import { PluginError } from "../plugin-error.ts";
import { SURFACE_PREFIX } from "../router/channel.ts";

const NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** Checks surfaces, claims, background targets and personas. @throws PluginError naming the plugin, the part and the remedy. */
export function checkChatParts(plugin: string, parts: PluginParts): void {
  const fail = (what: string) => new PluginError("bad_part", `Plugin ${plugin}: ${what}`);
  const named = (what: string, name: unknown) => {
    if (typeof name === "string" && NAME.test(name)) return;
    throw fail(`the ${what} name ${JSON.stringify(name) ?? String(name)} must match ${NAME.source}.`);
  };
  for (const surface of parts.surfaces ?? []) {
    if (typeof surface.surface !== "string" || !SURFACE_PREFIX.test(surface.surface)) {
      const prefix = JSON.stringify(surface.surface) ?? "undefined";
      throw fail(`the surface prefix ${prefix} must match ${SURFACE_PREFIX.source}: no colon, no space.`);
    }
    const sends = surface.kind === "messages" && typeof surface.sendReply === "function";
    if (surface.kind !== "view" && !sends) {
      throw fail(`the surface ${surface.surface} must be of kind view, or of kind messages with a sendReply.`);
    }
  }
  for (const { name, owns, admit, priority = 0 } of parts.claims ?? []) {
    named("claim", name);
    if (typeof owns !== "function" || typeof admit !== "function")
      throw fail(`the claim ${name} needs owns and admit.`);
    if (!Number.isFinite(priority)) throw fail(`the claim ${name} needs a number as its priority.`);
  }
  for (const { name } of parts.backgroundTargets ?? []) named("background target", name);
  for (const { kind, prompt } of parts.personas ?? []) {
    named("persona", kind);
    if (typeof prompt !== "string") throw fail(`the persona ${kind} needs a prompt, if an empty one.`);
  }
}

/** A claim or target of a surface that no plugin has would never be asked. @throws PluginError naming it and the remedy. */
export function requireSurfaces(plugins: readonly { readonly name: string; readonly parts: PluginParts }[]): void {
  const known = plugins.flatMap(({ parts }) => (parts.surfaces ?? []).map(({ surface }) => surface));
  for (const { name: plugin, parts } of plugins) {
    const users = [
      ...(parts.claims ?? []).map(({ name, surface }) => ({ what: `claim ${name}`, surface })),
      ...(parts.backgroundTargets ?? []).map(({ name, surface }) => ({ what: `background target ${name}`, surface })),
    ];
    const lost = users.find(({ surface }) => !known.includes(surface));
    if (!lost) continue;
    const there = known.length === 0 ? "no plugin has any" : `there are ${known.join(", ")}`;
    throw new PluginError(
      "no_surface",
      `Plugin ${plugin}: its ${lost.what} serves the surface ${JSON.stringify(lost.surface)}, and ${there}: ` +
        "add the plugin of that surface, or switch this one off.",
    );
  }
}
