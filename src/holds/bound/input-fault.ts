import { utf8Bytes } from "../../lib/bytes.ts";
import { canonicalJson } from "../../lib/canonical.ts";
import { isDeeper } from "../../lib/is-deeper.ts";
import { findJsonFault, type Json } from "../../lib/json.ts";
import { MAX_INPUT_DEPTH } from "../../protocol/limits.ts";

/** Bytes of canonical JSON that the arguments of one call may have. */
export const MAX_INPUT_BYTES = 256 * 1024;

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
