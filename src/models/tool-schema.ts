import type { ToolSpec } from "../kernel/ports/model.ts";
import type { Json } from "../lib/json.ts";
import { wellFormed } from "./well-formed.ts";

/** A schema as every vendor takes it at the top level. */
export interface ObjectSchema {
  readonly type: "object";
  readonly [key: string]: Json;
}

/** Vendors refuse these at the top level of a tool's schema; the tool itself still checks them. */
const NOT_AT_THE_TOP: ReadonlySet<string> = new Set(["oneOf", "anyOf", "allOf", "not", "enum", "$schema"]);

/** The parameters of a tool as an object schema. One tool with an odd schema must not make every request fail. */
export function objectSchema({ parameters }: ToolSpec): ObjectSchema {
  const isObject = parameters !== null && typeof parameters === "object" && !Array.isArray(parameters);
  const entries = isObject ? Object.entries(parameters) : [];
  const kept = Object.fromEntries(entries.filter(([key]) => !NOT_AT_THE_TOP.has(key)));
  return { properties: {}, ...wellFormed(kept), type: "object" };
}

/** A tool's name as every vendor takes it: a model may have called a tool by a name that no wire allows in a history. */
export function wireToolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown";
}
