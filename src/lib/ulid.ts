const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * A sortable 26-character id (lower-case Crockford base 32): 48 bits of time in milliseconds, 80 bits of randomness.
 * @param random fills a buffer with random bytes; `crypto.getRandomValues` fits.
 */
export function ulid(nowMs: number, random: (bytes: Uint8Array) => void): string {
  let text = "";
  let time = nowMs;
  for (let i = 0; i < 10; i++) {
    text = ALPHABET.charAt(time % 32) + text;
    time = Math.floor(time / 32);
  }
  const bytes = new Uint8Array(16);
  random(bytes);
  for (const byte of bytes) text += ALPHABET.charAt(byte & 31);
  return text;
}
