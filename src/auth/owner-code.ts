import { type FillRandom, sha256Hex } from "./secret.ts";

/** How long a code is good for. */
export const OWNER_CODE_MS = 15 * 60 * 1000;
/** The identity that a claim links. */
export const OWNER_IDENTITY = "setup:owner";

/** Crockford's base 32: no i, l, o, u. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const CODE_BITS = 128;
const CODE_CHARACTERS = Math.ceil(CODE_BITS / 5);

/** A fresh code: 128 random bits as 26 characters. */
export function newOwnerCode(random: FillRandom): string {
  const bytes = new Uint8Array(CODE_BITS / 8);
  random(bytes);
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let code = "";
  for (let i = 0; i < CODE_CHARACTERS; i++) {
    code = ALPHABET.charAt(Number(value & 31n)) + code;
    value >>= 5n;
  }
  return code;
}

/** The code as it is hashed: people may type it in capitals, with spaces or dashes, or with o and l for 0 and 1. */
export function normaliseOwnerCode(typed: string): string {
  return typed.toLowerCase().replace(/[\s-]/g, "").replaceAll("o", "0").replace(/[il]/g, "1");
}

export async function hashOwnerCode(typed: string): Promise<string> {
  return await sha256Hex(normaliseOwnerCode(typed));
}
