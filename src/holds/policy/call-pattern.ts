import { canonicalJson } from "../../lib/canonical.ts";
import type { Json } from "../../lib/json.ts";
import type { RuledCall } from "../rule/hold-rule.ts";

/** Calls of one tool; with `args`, only those that have each of these arguments with exactly this value. */
export interface CallPattern {
  readonly tool: string;
  readonly args?: { readonly [name: string]: Json } | undefined;
}

/** True when the pattern covers the call. */
export function coversCall({ tool, args = {} }: CallPattern, call: RuledCall): boolean {
  return tool === call.tool && Object.entries(args).every(([name, value]) => hasArgument(call.input, name, value));
}

function hasArgument(input: Json, name: string, value: Json): boolean {
  if (input === null || typeof input !== "object" || Array.isArray(input) || !Object.hasOwn(input, name)) return false;
  return canonicalJson((input as { readonly [key: string]: Json })[name] as Json) === canonicalJson(value);
}
