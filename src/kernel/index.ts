export { defineNamespace, type Namespace } from "./registry/namespace.ts";
export { defineTool, type ReplayPolicy, type Tool, type ToolContext, type ToolResult } from "./registry/tool.ts";
