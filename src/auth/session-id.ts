import { type FillRandom, sha256Hex } from "./secret.ts";

const SESSION_ID_BYTES = 32;
const SESSION_ID = /^[0-9a-f]{64}$/;

/** A fresh session id: 256 random bits in hex. It is in the cookie and nowhere else. */
export function newSessionId(random: FillRandom): string {
  const bytes = new Uint8Array(SESSION_ID_BYTES);
  random(bytes);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The name under which the database knows a session, or undefined when the text cannot be a session id. */
export async function hashSessionId(id: string): Promise<string | undefined> {
  return SESSION_ID.test(id) ? await sha256Hex(id) : undefined;
}
