/** Fills a buffer with randomness; `crypto.getRandomValues` fits. */
export type FillRandom = (bytes: Uint8Array) => void;

/** Hex SHA-256 of a text. What the database holds in place of a secret. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
