import { canonicalJson } from "../../lib/canonical.ts";
import type { JsonObject } from "../../lib/json.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { AuditLine } from "../../protocol/audit.ts";

/** What stands as `prev` in a chain's first line. */
export const BEFORE_FIRST = "0".repeat(64);

/** The newest line of a chain. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** A line without its place in the chain. */
export type LineDraft = Omit<AuditLine, "v" | "seq" | "prev" | "hash">;

/** The line that follows on `head`. */
export function sealLine(head: ChainHead | undefined, draft: LineDraft): AuditLine {
  const line = { ...draft, v: 1, seq: (head?.seq ?? 0) + 1, prev: head?.hash ?? BEFORE_FIRST } as const;
  return { ...line, hash: hashLine(line) };
}

/** SHA-256 of the canonical JSON of everything in a line but its own hash. */
export function hashLine({ hash: _own, ...rest }: JsonObject): string {
  return sha256Hex(canonicalJson(rest));
}
