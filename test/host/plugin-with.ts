import { definePlugin, Host, type Plugin } from "../../src/host/index.ts";
import { hostContext } from "../kit/host-context.ts";

/** A plugin with these parts, whatever the types say. */
export function pluginWith(name: string, parts: unknown, more: Partial<Plugin> = {}): Plugin {
  return definePlugin({ name, setup: () => parts as never, ...more });
}

export function hostOf(...plugins: readonly Plugin[]): Host {
  return new Host(plugins, hostContext());
}
