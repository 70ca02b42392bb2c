import type { Json } from "../../lib/json.ts";
import type { Tier } from "../../people/facts.ts";

/** Who brings the tool: a plugin by name, or an MCP server by id and URL. */
export type CallProvider =
  | { readonly kind: "plugin"; readonly name: string }
  | { readonly kind: "mcp"; readonly server: string; readonly url: string };

/** A file that the call refers to, by the hash of its bytes. */
export interface BoundFile {
  readonly id: string;
  readonly sha256: string;
}

/** A bound file as it is shown, too. Plain JSON. */
export type HeldFile = {
  readonly id: string;
  /** As it was uploaded, not escaped. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
};

/** Who may answer and why the call is held, as far as an approval is bound to it. */
export interface BoundAudience {
  readonly minTier: Tier;
  /** Principals. Null: nobody is named. */
  readonly approvers: readonly string[] | null;
  readonly approval: "speaker" | null;
  readonly ruleId: string;
  readonly target: string | null;
}

/** Exactly what would run, for whom and under which policy: what an approval is bound to. Before any redaction. */
export interface BoundCall {
  /** Channel key. */
  readonly conversation: string;
  readonly provider: CallProvider;
  readonly tool: string;
  /** The tool's declared version. */
  readonly version: string;
  /** {@link hashSchema} of the tool's parameters. */
  readonly schemaHash: string;
  /** The arguments that `execute` would get. */
  readonly input: Json;
  /** The speaker's principal. Null: nobody spoke. */
  readonly speaker: string | null;
  readonly files: readonly BoundFile[];
  readonly audience: BoundAudience;
}

/** The provider as it is hashed. */
export function providerJson(provider: CallProvider): Json {
  return provider.kind === "plugin"
    ? { kind: "plugin", name: provider.name }
    : { kind: "mcp", server: provider.server, url: provider.url };
}

/** The files as they are hashed: in whatever order they were found. */
export function filesJson(files: readonly BoundFile[]): Json {
  return files
    .map(({ id, sha256 }) => ({ id, sha256 }))
    .sort((a, b) => compare(a.id, b.id) || compare(a.sha256, b.sha256));
}

/** The approvers as they are hashed: a set. */
export function approversJson(approvers: readonly string[] | null): Json {
  return approvers === null ? null : [...new Set(approvers)].sort();
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
