import { newCode } from "./code.ts";
import type { FillRandom } from "./secret.ts";

/** How long a code is good for. */
export const OWNER_CODE_MS = 15 * 60 * 1000;
/** The identity that a claim links. */
export const OWNER_IDENTITY = "setup:owner";

const CODE_BITS = 128;

/** A fresh code: 128 random bits as 26 characters. */
export function newOwnerCode(random: FillRandom): string {
  return newCode(CODE_BITS, random);
}
