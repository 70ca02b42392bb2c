import type { Namespace, Tool } from "../kernel/index.ts";
import type { Json } from "../lib/json.ts";

/** What a person must know of a call before it runs: one line, and whom or what it touches. */
export interface HoldDescription {
  readonly text: string;
  readonly target?: string;
}

/** Says whether a call waits for a person. Undefined: this rule does not hold it. Must be pure; a throw holds. */
export type HoldRule = (call: { readonly tool: string; readonly input: Json }) => HoldDescription | undefined;

/** A named value that contributes parts to every conversation. */
export interface Plugin {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly namespaces?: readonly Namespace[];
  readonly holdRules?: readonly HoldRule[];
}
