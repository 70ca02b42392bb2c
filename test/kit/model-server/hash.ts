/** A short digest for made-up signatures (FNV-1a, 32 bits, hex). It proves nothing to an attacker; tests need no more. */
export function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

/** JSON without cache marks, which are no part of a prompt. */
export function promptText(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner)) ?? "";
}
