import { utf8Bytes } from "../lib/bytes.ts";
import { canonicalJson } from "../lib/canonical.ts";
import { findJsonFault, type Json } from "../lib/json.ts";

/** Bytes of canonical JSON that the arguments of one call may have. */
export const MAX_INPUT_BYTES = 256 * 1024;
/** Levels of arrays and objects inside the arguments of one call. */
export const MAX_INPUT_DEPTH = 100;

/** Why these arguments cannot be hashed and shown, naming limit and remedy, or undefined. Such a call is refused unheld. */
export function findInputFault(input: unknown): string | undefined {
  if (isDeeper(input, MAX_INPUT_DEPTH)) {
    return `The arguments nest deeper than ${MAX_INPUT_DEPTH} levels: flatten them.`;
  }
  const fault = findJsonFault(input);
  if (fault !== undefined) return `The arguments are not JSON at ${fault.path}: ${fault.reason}.`;
  const bytes = utf8Bytes(canonicalJson(input as Json));
  if (bytes <= MAX_INPUT_BYTES) return undefined;
  return `The arguments have ${bytes} bytes, the limit is ${MAX_INPUT_BYTES}: put long content into a file.`;
}

/**
 * Level by level, since a recursive walk of hostile input would overflow the stack. A level is a set, so that a value
 * that is shared or contains itself is looked at once.
 */
function isDeeper(value: unknown, maxDepth: number): boolean {
  let level = new Set([value]);
  for (let depth = 0; depth <= maxDepth; depth++) {
    const next = new Set<unknown>();
    for (const item of level) {
      if (item === null || typeof item !== "object") continue;
      for (const inner of Object.values(item) as unknown[]) next.add(inner);
    }
    if (next.size === 0) return false;
    level = next;
  }
  return true;
}
