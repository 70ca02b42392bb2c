import { err, ok, type Result } from "../lib/result.ts";
import { ulid } from "../lib/ulid.ts";
import type { Refused } from "../people/may-act.ts";
import { SESSION_ABSOLUTE_MS } from "../people/session-life.ts";
import type { Database } from "../store/database.ts";
import { takeTry } from "../store/rate-windows.ts";
import { writeOwnerClaim } from "../store/sign-in.ts";
import { hashCode } from "./code.ts";
import { OWNER_IDENTITY } from "./owner-code.ts";
import { type FillRandom, sha256Hex } from "./secret.ts";
import { hashSessionId, newSessionId } from "./session-id.ts";

/** Tries of a whole deployment, and the time in which they are counted. */
const CLAIM_RATE = { name: "owner-code", limit: 10, windowMs: 60_000 } as const;
/** Spent and expired codes are kept this long as the record of sign-ins by code. */
const KEEP_CODES_MS = 90 * 24 * 60 * 60 * 1000;

export interface SignedIn {
  /** For the cookie only. */
  readonly sessionId: string;
  readonly principalId: string;
}

export interface ClaimInput {
  readonly code: string;
  /** The session id that the browser brought along, if any. */
  readonly oldSessionId: string | undefined;
}

/** Signs the owner in by a one-time code. Wrong, spent and expired codes are refused alike. */
export async function claimOwnerCode(
  ports: { readonly db: Database; readonly now: number; readonly random: FillRandom },
  input: ClaimInput,
): Promise<Result<SignedIn, Refused>> {
  const { db, now, random } = ports;
  if (!(await takeTry(db, CLAIM_RATE, now))) {
    return err({
      code: "rate_limited",
      message: "More than 10 codes were tried in a minute. Wait a minute, then try again.",
      retryAfterS: 60,
    });
  }
  const sessionId = newSessionId(random);
  const principalId = await writeOwnerClaim(db, {
    codeHash: await hashCode(input.code),
    now,
    identity: OWNER_IDENTITY,
    newPrincipal: { id: `p_${ulid(now, random)}`, name: "Owner" },
    sessionHash: await sha256Hex(sessionId),
    oldSessionHash: input.oldSessionId === undefined ? undefined : await hashSessionId(input.oldSessionId),
    sweepSessionsBefore: now - SESSION_ABSOLUTE_MS,
    sweepCodesBefore: now - KEEP_CODES_MS,
  });
  if (principalId === undefined) {
    return err({
      code: "unauthenticated",
      message: "This code is wrong, used up or older than 15 minutes. `npm run owner:code` makes a new one.",
    });
  }
  return ok({ sessionId, principalId });
}
