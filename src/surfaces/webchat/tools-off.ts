import { nearest } from "../../lib/nearest.ts";
import { err, ok, type Result } from "../../lib/result.ts";

/** The tools that are off after a change, in the deployment's order; or the sentence that refuses the change. */
export function switchTools(
  off: readonly string[],
  change: { readonly [name: string]: boolean },
  tools: readonly string[],
): Result<readonly string[], string> {
  const switched = new Map(Object.entries(change));
  for (const name of switched.keys()) {
    if (!tools.includes(name)) return err(unknownTool(name, tools));
  }
  return ok(tools.filter((name) => !(switched.get(name) ?? !off.includes(name))));
}

function unknownTool(name: string, tools: readonly string[]): string {
  const close = nearest(name, tools);
  const hint = close ? `did you mean ${close}?` : `there are ${tools.join(", ")}.`;
  return `There is no tool ${JSON.stringify(name)}: ${hint}`;
}
