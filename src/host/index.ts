export { definePlugin } from "./define-plugin.ts";
export { Host, type HostContext } from "./host.ts";
export { installPlugins, toolsOf } from "./install-plugins.ts";
export type { Plugin, PluginParts, Services, SetupContext } from "./plugin.ts";
export { PluginError } from "./plugin-error.ts";
export { serviceKey } from "./service-key.ts";
