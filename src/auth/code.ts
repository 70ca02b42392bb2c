import { type FillRandom, sha256Hex } from "./secret.ts";

/** Crockford's base 32: no i, l, o, u. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** A code that people can read out: so many random bits (whole bytes), five a character. */
export function newCode(bits: number, random: FillRandom): string {
  const bytes = new Uint8Array(bits / 8);
  random(bytes);
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let code = "";
  for (let i = 0; i < Math.ceil(bits / 5); i++) {
    code = ALPHABET.charAt(Number(value & 31n)) + code;
    value >>= 5n;
  }
  return code;
}

/** The code as it is hashed: people may type it in capitals, with spaces or dashes, or with o and l for 0 and 1. */
export function normaliseCode(typed: string): string {
  return typed.toLowerCase().replace(/[\s-]/g, "").replaceAll("o", "0").replace(/[il]/g, "1");
}

/** What the database holds in place of a code. */
export async function hashCode(typed: string): Promise<string> {
  return await sha256Hex(normaliseCode(typed));
}
