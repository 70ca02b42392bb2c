import { createHash } from "node:crypto";

/**
 * SHA-256 of bytes or of a text's UTF-8, as 64 lower-case hex digits. Synchronous, so that it can run inside a commit. Lone
 * surrogates hash alike: whoever may meet them escapes them before.
 */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
