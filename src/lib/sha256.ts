import { createHash } from "node:crypto";

/** SHA-256 of a text or bytes, as 64 lower-case hex digits. Synchronous, so that it can run inside a commit. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
