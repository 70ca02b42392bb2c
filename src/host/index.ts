export { definePlugin } from "./define-plugin.ts";
export { Host, type HostContext } from "./host.ts";
export { installPlugins, toolsOf } from "./install-plugins.ts";
export type { Plugin, PluginParts, PluginTool, Services, SetupContext } from "./plugin.ts";
export { PluginError, type PluginErrorCode } from "./plugin-error.ts";
export { type ServiceKey, serviceKey } from "./service-key.ts";
