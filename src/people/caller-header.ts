import * as z from "zod";
import type { Caller } from "./facts.ts";

const callerSchema = z.strictObject({
  principalId: z.string().min(1),
  identity: z.string().min(1),
  sessionHash: z.string().regex(/^[0-9a-f]{64}$/),
});

/** The caller as a header value: JSON in ASCII, because a header may hold nothing else. */
export function encodeCaller(caller: Caller): string {
  const { principalId, identity, sessionHash } = caller;
  return JSON.stringify({ principalId, identity, sessionHash }).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The caller that {@link encodeCaller} wrote, or undefined for anything else. */
export function decodeCaller(value: string | null): Caller | undefined {
  if (value === null) return undefined;
  try {
    return callerSchema.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}
